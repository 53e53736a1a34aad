import { Asks } from './asks.ts';
import { h } from './dom.ts';
import { Hands } from './hand.ts';
import { Jogger } from './jog.ts';
import { offerKeys } from './keys.ts';
import { Live } from './live.ts';
import { clearNotices, notice } from './notices.ts';
import { armsPanel } from './panels/arms.ts';
import { healthPanel } from './panels/health.ts';
import { movePanel } from './panels/move.ts';
import { peopleCard } from './panels/people.ts';
import { recordPanel } from './panels/record.ts';
import { setupPanel } from './panels/setup.ts';
import { teleoperationPanel } from './panels/teleoperation.ts';
import { offerTour } from './panels/tour.ts';
import type { JournalEvent } from './protocol.ts';
import { showScene } from './scene/load.ts';
import { offerSession } from './session.ts';
import { offerTheme, showMarks, showShell, tellReset } from './shell.ts';
import { Store } from './store.ts';
import { showTabs } from './tabs.ts';

/** The control page: puts its parts together. */
const store = new Store();
const opened = Date.now() / 1000;
let newestTold = 0;
const live = new Live({
  connection: (state) => store.connected(state),
  message: (message) => {
    store.take(message);
    if (message.type === 'refused') jogger.refused(message.reason);
    if (message.type === 'events') tellLosses(message.events);
  },
});
/** Says what somebody else has taken from this page, but nothing of what was before it was opened. */
function tellLosses(events: readonly JournalEvent[]): void {
  for (const { id, arm, who, time, taken_from: loser } of events) {
    const isNew = id > newestTold && time >= opened;
    if (isNew && loser !== null && loser === store.hello?.client) notice('fault', `${who} has taken ${arm} over.`);
  }
  newestTold = Math.max(newestTold, ...events.map(({ id }) => id));
}

const jogger = new Jogger(live, store);
const hands = new Hands(store);
const asks = new Asks(store);

offerTheme();
offerKeys();
showShell(store);
showMarks(store);
tellReset(store);
store.on(['frames', 'connection', 'pairs', 'asks'], () => clearNotices(store));
const tour = offerTour(store, hands, (panel) => select(panel));
const select = showTabs([
  { id: 'arms', title: 'Arms', panel: h('div', { class: 'panel' }, armsPanel(store, asks, tour), peopleCard(store)) },
  { id: 'move', title: 'Move', panel: movePanel(store, jogger) },
  { id: 'teleoperation', title: 'Teleoperate', panel: teleoperationPanel(store, hands) },
  { id: 'record', title: 'Record', panel: recordPanel(store) },
  { id: 'setup', title: 'Set up', panel: setupPanel(store, hands, (panel) => select(panel)) },
  { id: 'health', title: 'Health', panel: healthPanel(store) },
]);
offerSession(store, live);
showScene(store, hands);
live.connect();
