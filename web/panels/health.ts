import { bridge } from '../bridge.ts';
import { h, setText, showRows } from '../dom.ts';
import type { ArmInfo, BridgeStatus, LogLine } from '../protocol.ts';
import type { Store } from '../store.ts';
import { measure, milliseconds, spoken } from '../units.ts';
import { calibrationCard } from './calibration.ts';
import { fleetCard } from './fleet.ts';

/** How often buses are asked for, ms, while the panel is seen. */
const INTERVAL = 2000;

/** A list of names and values whose values change. */
function facts(...names: readonly string[]): { element: HTMLElement; set(name: string, value: string): void } {
  const values = new Map(names.map((name) => [name, h('dd', {})]));
  const element = h('dl', {}, ...[...values].flatMap(([name, value]) => [h('dt', {}, name), value]));
  return { element, set: (name, value) => setText(values.get(name)!, value) };
}

function card(title: string, ...parts: readonly HTMLElement[]): HTMLElement {
  return h('section', { class: 'card', 'aria-label': title }, h('h2', {}, title), ...parts);
}

function logRow({ time, level, message }: LogLine): HTMLElement {
  const at = new Date(time * 1000);
  return h(
    'li',
    { class: `log-${level}` },
    h('time', { datetime: at.toISOString() }, at.toLocaleTimeString()),
    ` ${message}`,
  );
}

/** A row of a table: what it is about, and figures. */
interface Line {
  readonly name: string;
  readonly cells: readonly string[];
  readonly faulty?: boolean;
}

function lineRow({ name, cells, faulty = false }: Line): HTMLElement {
  const figures = cells.map((cell) => h('td', {}, cell));
  return h('tr', { class: faulty ? 'fault' : '' }, h('th', { scope: 'row' }, name), ...figures);
}

function busLines({ arms }: BridgeStatus): Line[] {
  return arms.map(({ name, sample_age, bus, servos }) => {
    const lost = servos.reduce((sum, servo) => sum + servo.lost, 0);
    const { p50, p99 } = bus.round_trip;
    return {
      name,
      cells: [milliseconds(p50), milliseconds(p99), String(lost), String(bus.discarded), milliseconds(sample_age)],
    };
  });
}

/** The servos of an arm, by joint. */
function servoLines({ id, name, servos }: BridgeStatus['arms'][number], arms: readonly ArmInfo[]): Line[] {
  const info = arms.find((arm) => arm.id === id);
  return servos.map(({ joint, reply_age, lost, alarms }) => {
    const places = info?.joints.find((each) => each.name === joint)?.servos ?? [];
    const ids = places.map((servo) => servo.id).join(', ');
    const models = [...new Set(places.map(({ model }) => model))].join(', ');
    const cells = [ids, models, String(lost), milliseconds(reply_age)];
    return { name: `${name}, ${spoken(joint)}`, cells, faulty: alarms !== 0 };
  });
}

/** Health of the bridge: control loop, buses, servos, calibration of the arms, ROS 2, the page itself, and the end of the log. */
export function healthPanel(store: Store): HTMLElement {
  const loop = facts(
    'cycles',
    'period, median',
    'period, 99 %',
    'longest period',
    'late cycles',
    'read to goals, 99 %',
  );
  const about = facts('bridge', 'ROS 2', 'work per frame');
  const buses = h('tbody', {});
  const log = h('ol', { class: 'log', tabindex: 0, 'aria-label': 'Newest lines of the log' });
  const titles = ['Bus', 'median', '99 %', 'lost', 'noise', 'age'];
  const servos = h('tbody', {});
  const tableOf = (heads: readonly string[], rows: HTMLElement): HTMLElement =>
    h('table', {}, h('thead', {}, h('tr', {}, ...heads.map((title) => h('th', { scope: 'col' }, title)))), rows);
  const panel = h(
    'div',
    { class: 'panel' },
    fleetCard(store),
    card('Control loop', loop.element),
    card('Buses', tableOf(titles, buses)),
    calibrationCard(store),
    card('Servos', tableOf(['Servo', 'id', 'type', 'lost', 'heard'], servos)),
    card('Bridge', about.element),
    card('Log', log),
  );

  store.on(['loop'], () => {
    const { loop: frame } = store;
    if (frame === null || panel.hidden) return;
    loop.set('cycles', `${frame.cycles} at ${frame.rate} Hz`);
    loop.set('period, median', milliseconds(frame.periods.recent.p50));
    loop.set('period, 99 %', milliseconds(frame.periods.recent.p99));
    loop.set('longest period', milliseconds(frame.periods.recent.longest));
    loop.set('late cycles', `${frame.late} (${measure((100 * frame.late) / Math.max(frame.cycles, 1), 2, ' %')})`);
    loop.set('read to goals, 99 %', milliseconds(frame.latency.recent.p99));
    about.set('bridge', store.hello?.version ?? '');
    const { enabled, distro, reason, preparing } = frame.ros;
    if (preparing !== null) about.set('ROS 2', `on in about ${preparing.left} s: ${preparing.step}`);
    else about.set('ROS 2', enabled ? `on, ${distro ?? 'unknown distribution'}` : `off: ${reason}`);
    const work = document.getElementById('scene')?.dataset.work;
    about.set('work per frame', work === undefined ? '–' : `${work} ms`);
  });
  store.on(['log', 'hello'], () => {
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
    log.replaceChildren(...store.log.map(logRow));
    if (atEnd) log.scrollTop = log.scrollHeight;
  });
  const ask = async (): Promise<void> => {
    if (panel.hidden || document.hidden || store.connection !== 'live') return;
    try {
      const status = await bridge.call('get', '/status', { signal: AbortSignal.timeout(INTERVAL) });
      showRows(buses, busLines(status), lineRow);
      const lines = status.arms.flatMap((arm) => servoLines(arm, store.arms));
      showRows(servos, lines, lineRow);
    } catch {
      // The header says that there is no connection.
    }
  };
  setInterval(() => void ask(), INTERVAL);
  // The panel has been shown.
  window.addEventListener('resize', () => void ask());
  return panel;
}
