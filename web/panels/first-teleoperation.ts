import { command } from '../api.ts';
import { block, button, h, setText } from '../dom.ts';
import type { Hands } from '../hand.ts';
import type { SetupState } from '../protocol.ts';
import { whyNoMotion } from '../reasons.ts';
import type { SettingUp } from '../setting-up.ts';
import type { Store } from '../store.ts';
import { withoutRoutes } from '../words.ts';
import { handSliders } from './hand.ts';

export type Trial = SetupState['trials'][number];

/**
 * The first teleoperation of a pair: slow, until somebody has seen that every joint goes the right way.
 * @param right called when somebody has
 */
export function firstTeleoperation(
  { leader, follower }: Trial,
  setting: SettingUp,
  store: Store,
  hands: Hands,
  right: () => void,
): { readonly element: HTMLElement; show(): void } {
  const led = store.arms.find((arm) => arm.name === leader);
  const hand = led === undefined ? null : hands.of(led);
  const idOf = (name: string): number | undefined => store.arms.find((arm) => arm.name === name)?.id;
  const start = (): void => {
    const body = { robot_pairs: [{ leader_id: idOf(leader), follower_id: idOf(follower) }] };
    setText(advice, '');
    void command({ name: 'The start', path: '/move/leader/start', body });
  };
  const pairNow = () => store.pairs.find((each) => each.leader === leader && each.follower === follower);
  // This pair alone: others may be led meanwhile.
  const stopped = async (): Promise<boolean> =>
    (pairNow()?.state ?? 'idle') === 'idle' || (await command({ path: '/api/v1/pairs/end', body: { follower } })).ok;
  const good = async (): Promise<void> => {
    if (!(await stopped())) return;
    await setting.verdict(follower, 'right');
    if (setting.fault === '') right();
  };
  const turned = async (): Promise<void> => {
    if (!(await stopped())) return;
    setText(
      advice,
      'One of the two calibrations has the joint the other way round. Open both calibrations above, go through them again, ' +
        'and watch at the last step which way each joint goes.',
    );
  };
  const swapped = async (): Promise<void> => {
    if (await stopped()) await setting.verdict(follower, 'swapped');
  };

  const told = h('p', { role: 'status' });
  const advice = h('p', { role: 'status' });
  const why = h('p', { class: 'about' });
  const begin = button('Start slowly', start, { class: 'main' });
  const sliders = hand === null ? null : handSliders(hand, store);
  const answers = h(
    'div',
    { class: 'answers' },
    button('Yes: every joint goes as I lead it', () => void good(), { class: 'main' }),
    button('No: a joint goes another way', () => void turned()),
    button('No: the arm in my hand pulls, and the other is limp', () => void swapped()),
  );
  const asked = h(
    'div',
    { class: 'panel', role: 'group', 'aria-label': 'Does it go the right way?', tabindex: -1 },
    ...(sliders === null ? [] : [sliders.element]),
    answers,
  );
  const before =
    hand === null
      ? `Take ${leader} in your hand, keep the way of ${follower} clear and the switch of its supply within reach.`
      : `Your hand leads ${leader}, and ${follower} is to follow.`;
  return {
    element: h('div', { class: 'panel' }, told, h('div', { class: 'row' }, begin), asked, advice, why),
    show() {
      const pair = pairNow();
      const state = pair?.state ?? 'idle';
      const follows = state === 'mirroring' || state === 'holding';
      const unknown = [leader, follower].filter((name) => {
        const frame = store.frames.get(idOf(name) ?? -1);
        return frame?.calibrated !== true;
      });
      const first = unknown.length === 0 ? '' : `Calibrate ${unknown.join(' and ')} first.`;
      const [blocked] = store.arms
        .filter(({ name }) => name === leader || name === follower)
        .map((arm) => whyNoMotion(store, arm))
        .filter((reason) => reason !== '');
      block(begin, state === 'idle' ? first || (blocked ?? '') : 'It is on its way.');
      asked.hidden = !follows;
      // Not to an answer: it is to be looked at first.
      if (follows && document.activeElement === begin) asked.focus();
      begin.hidden = follows;
      const lead =
        hand === null ? `Lead ${leader} slowly` : `Drag the links of ${leader} in the picture, or move its sliders`;
      setText(
        told,
        state === 'idle'
          ? `${before} It goes no faster than 23 degrees a second.`
          : follows
            ? `${lead}, one joint after the other. Does ${follower} go the right way?`
            : `${follower} goes to where ${leader} is, slowly, then follows it.`,
      );
      setText(why, state === 'idle' ? withoutRoutes(pair?.reason ?? '') : '');
      if (follows) sliders?.show();
    },
  };
}
