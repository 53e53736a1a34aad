import type { Asks } from '../asks.ts';
import { button, h, setText } from '../dom.ts';
import type { ArmFrame, ArmInfo, JointInfo } from '../protocol.ts';
import type { Store } from '../store.ts';
import { degrees, measure, spoken } from '../units.ts';
import { withoutRoutes } from '../words.ts';

/** From these temperatures on a servo is marked, degrees Celsius: those at which /diagnostics warns. */
const WARM = 55;
const HOT = 65;
/** From this part of the torque that a servo gives on it is marked: little is left for what comes. */
const LOADED = 0.8;

interface JointRow {
  readonly element: HTMLElement;
  show(frame: ArmFrame, index: number): void;
}

/** Both ends of a joint's range, short. */
function rangeOf({ lower, upper }: JointInfo): string {
  const [least, most] = [Math.round(degrees(lower)), Math.round(degrees(upper))];
  return least === -most ? `±${most}°` : `${least}…${most}°`;
}

/** What the alarm bits of a servo mean. */
function alarmsOf(bits: number, texts: ArmInfo['alarms']): string[] {
  if (bits === 0) return [];
  const known = Object.entries(texts).flatMap(([bit, text]) => ((bits & Number(bit)) === 0 ? [] : [text]));
  return known.length > 0 ? known : [`alarm ${bits}`];
}

function jointRow(joint: JointInfo, alarms: ArmInfo['alarms']): JointRow {
  const angle = h('span', { class: 'angle' });
  const goal = h('span', { class: 'goal-mark' });
  const measured = h('span', { class: 'measured-mark' });
  const track = h('div', { class: 'track', 'aria-hidden': 'true' }, measured, goal);
  const details = h('span', { class: 'details' });
  const limits = h('span', { class: 'limits', title: 'limits' }, rangeOf(joint));
  const element = h(
    'li',
    { class: 'joint', 'data-joint': joint.name },
    h('span', { class: 'name' }, spoken(joint.name)),
    track,
    angle,
    details,
    limits,
  );
  const place = (value: number): string =>
    `${Math.min(Math.max((value - joint.lower) / (joint.upper - joint.lower), 0), 1) * 100}%`;
  return {
    element,
    show({ joints }, index) {
      const position = joints.position[index] ?? null;
      const wanted = joints.goal[index] ?? null;
      const temperature = joints.temperature[index] ?? null;
      const alarm = joints.alarm[index] ?? 0;
      setText(angle, measure(position === null ? null : degrees(position), 1, '°'));
      measured.hidden = position === null;
      goal.hidden = wanted === null;
      if (position !== null) measured.style.left = place(position);
      if (wanted !== null) goal.style.left = place(wanted);
      const effort = joints.effort[index] ?? null;
      const load = Math.abs(effort ?? 0) / joint.torque_limit;
      const loaded = load >= LOADED;
      const parts = [
        measure(temperature, 0, ' °C'),
        measure(joints.voltage[index], 1, ' V'),
        `${measure(effort, 2, ' Nm')}${loaded ? ` (${measure(100 * load, 0, ' % of what it gives')})` : ''}`,
        ...alarmsOf(alarm, alarms),
      ];
      setText(details, parts.join(' · '));
      const warm = (temperature ?? 0) >= WARM;
      element.dataset.level = alarm !== 0 || (temperature ?? 0) >= HOT ? 'fault' : warm || loaded ? 'warn' : 'good';
    },
  };
}

/** Who has an arm, and since when: this page, or somebody by name. */
function heldBy({ owner, owner_since: since }: ArmFrame, { hello }: Store): string {
  const time = since === null ? '' : `, since ${new Date(since * 1000).toLocaleTimeString()}`;
  return `driven by ${owner === hello?.client ? 'this page' : owner}${time}`;
}

/** Whether somebody else has an arm, or has started what drives it. */
function isOthers({ owner }: ArmFrame, { hello }: Store): boolean {
  const me = hello?.client ?? '';
  return owner !== null && owner !== me && !owner.endsWith(`, started by ${me}`);
}

/** One arm: state, owner, tool and its joints between their limits. */
function armCard(info: ArmInfo, store: Store, asks: Asks): { element: HTMLElement; show(frame: ArmFrame): void } {
  const state = h('span', { class: 'state' });
  const about = h('p', { class: 'about' });
  const tool = h('p', { class: 'tool' });
  const ask = button(`Ask for ${info.name}`, () => void asks.put(info.name), { hidden: true });
  const rows = info.joints.map((joint) => jointRow(joint, info.alarms));
  const element = h(
    'article',
    { class: 'card arm', 'aria-label': `Arm ${info.name}`, 'data-arm': info.name },
    h('h2', {}, info.name, h('small', {}, `${info.title}, robot ${info.id}, ${info.bus}`)),
    state,
    about,
    ask,
    h('ul', { class: 'joints' }, ...rows.map((row) => row.element)),
    tool,
  );
  return {
    element,
    show(frame) {
      element.dataset.state = frame.state;
      setText(state, frame.state);
      const motion = frame.motion === null ? '' : frame.motion.kind;
      const progress = frame.motion?.progress;
      const parts = [
        frame.torque ? 'torque on' : 'limp, torque off',
        frame.owner === null ? 'free' : heldBy(frame, store),
        ...(motion === ''
          ? []
          : [`${motion}${typeof progress === 'number' ? ` ${measure(100 * progress, 0, ' %')}` : ''}`]),
        ...(frame.reason === '' ? [] : [withoutRoutes(frame.reason)]),
        ...(frame.doubt === '' ? [] : [frame.doubt]),
      ];
      setText(about, parts.join(' · '));
      ask.hidden = !store.mayControl || !isOthers(frame, store);
      for (const [index, row] of rows.entries()) row.show(frame, index);
      const at = frame.tool?.position;
      const where = at === undefined ? '–' : at.map((value) => measure(100 * value, 1, '')).join(', ');
      const opening = frame.opening === null ? '' : ` · gripper ${measure(100 * frame.opening, 0, '\u00a0%')} open`;
      setText(tool, `Tool x, y, z ${where} cm from the base${opening}`);
    },
  };
}

/** All arms at a glance. @param offer stands above them */
export function armsPanel(store: Store, asks: Asks, offer: HTMLElement): HTMLElement {
  const list = h('div', { class: 'panel' });
  const preparing = h('p', { class: 'about', hidden: true });
  const panel = h('div', { class: 'panel' }, offer, preparing, list);
  let cards: { id: number; card: ReturnType<typeof armCard> }[] = [];
  store.on(['models'], () => {
    cards = store.arms.map((info) => ({ id: info.id, card: armCard(info, store, asks) }));
    list.replaceChildren(...cards.map(({ card }) => card.element));
  });
  store.on(['loop'], () => {
    const step = store.loop?.ros.preparing ?? null;
    preparing.hidden = step === null;
    if (step !== null)
      setText(preparing, `ROS 2 is being prepared: on in about ${step.left} s. Everything else works already.`);
  });
  store.on(['arms'], () => {
    for (const { id, card } of cards) {
      const frame = store.frames.get(id);
      if (frame !== undefined) card.show(frame);
    }
  });
  return panel;
}
