import { Hands } from './hand.ts';
import { Jogger } from './jog.ts';
import { Live } from './live.ts';
import { armsPanel } from './panels/arms.ts';
import { healthPanel } from './panels/health.ts';
import { movePanel } from './panels/move.ts';
import { teleoperationPanel } from './panels/teleoperation.ts';
import { showScene } from './scene/load.ts';
import { offerSession } from './session.ts';
import { offerTheme, showShell } from './shell.ts';
import { Store } from './store.ts';
import { showTabs } from './tabs.ts';

/** The control page: puts its parts together. */
const store = new Store();
const live = new Live({
  connection: (state) => store.connected(state),
  message: (message) => {
    store.take(message);
    if (message.type === 'refused') jogger.refused(message.reason);
  },
});
const jogger = new Jogger(live, store);
const hands = new Hands(store);

offerTheme();
showShell(store);
showTabs([
  { id: 'arms', title: 'Arms', panel: armsPanel(store) },
  { id: 'move', title: 'Move', panel: movePanel(store, jogger) },
  { id: 'teleoperation', title: 'Teleoperate', panel: teleoperationPanel(store, hands) },
  { id: 'health', title: 'Health', panel: healthPanel(store) },
]);
offerSession(store, live);
showScene(store, hands);
live.connect();
