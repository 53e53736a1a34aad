import type { Arm } from '../../arm/arm.ts';
import { BridgeError, type Caller } from '../../arm/types.ts';
import { systemClock } from '../../clock.ts';
import { giveFullSpeed, swapBuses } from '../../config/edit.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config, PairConfig } from '../../config/schema.ts';
import { startLog } from '../../log.ts';
import { SLOW } from '../../setup/arm.ts';
import { OWN, ownConfig } from '../own-bridge.ts';
import { EXIT, UsageError } from '../servo-access.ts';
import { onEndingSignal } from '../signals.ts';
import { typed } from '../typed.ts';
import type { Asker } from './asker.ts';

const CALLER: Caller = { owner: { key: 'arm-bridge setup', name: 'arm-bridge setup' }, takeOver: false };

export interface TryOptions {
  readonly config: string;
  readonly follower?: string;
}

/** The pair that the user chose. @throws {UsageError} */
function chosenPair({ pairs }: Config, { config, follower }: TryOptions): PairConfig {
  if (pairs.length === 0) throw new UsageError(`${config} has no pair: arm-bridge setup writes one`);
  const known = pairs.map((pair) => pair.follower).join(', ');
  if (follower === undefined && pairs.length > 1)
    throw new UsageError(`name one of the followers with --follower: ${known}`);
  const found = follower === undefined ? pairs[0] : pairs.find((pair) => pair.follower === follower);
  if (found === undefined)
    throw new UsageError(`no pair of ${config} has the follower "${follower}"; there are ${known}`);
  return found;
}

/**
 * Lets a follower follow its leader for the first time, slowly, and asks the user whether it moves the right way.
 * @returns the exit code @throws {UsageError}
 */
export async function tryPair(options: TryOptions, asker: Asker): Promise<number> {
  const config = loadConfig(options.config, process.env);
  const pair = chosenPair(config, options);
  const arms = [pair.leader, pair.follower].map((name) => config.arms.find((arm) => arm.name === name)!);
  const slow = { ...pair, autostart: false, velocity: Math.min(pair.velocity ?? SLOW, SLOW) };
  const { logger } = startLog('error');
  const [{ Bridge }, { thisMachine }] = await Promise.all([import('../../bridge.ts'), import('../../host.ts')]);
  const over = new AbortController();
  const letSignals = onEndingSignal(() => over.abort());
  const bridge = await Bridge.start(ownConfig(config, arms, [slow]), logger, thisMachine(systemClock), OWN);
  try {
    const [leader, follower] = bridge.arms.all as readonly [Arm, Arm];
    asker.tell(
      'step',
      `${leader.name} is limp: take it in your hand. ${follower.name} then goes to where ${leader.name} is, at no more than ` +
        `${Math.round((SLOW * 180) / Math.PI)} degrees a second, and follows it. Keep its way clear, and the switch of its supply within reach.`,
    );
    await asker.choose('Is the way clear?', [{ value: 'yes', label: 'Yes: begin' }], over.signal);
    const { mirror } = bridge;
    await mirror.start({ pairs: [{ leader: leader.id, follower: follower.id }], gravity: null, invert: false }, CALLER);
    mirror.onChange(() => {
      if (!mirror.status().active) over.abort();
    });
    const verdict = await asked(asker, leader, follower, over.signal, () => mirror.status().reason);
    await mirror.stop(CALLER);
    return await conclude(asker, options, pair, verdict);
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    asker.tell('error', error.message);
    return EXIT.failed;
  } finally {
    asker.tell('step', `Keep clear of ${pair.follower}: it is lowered to its rest pose and goes limp.`);
    process.stdin.pause();
    await bridge.close();
    letSignals();
  }
}

type Verdict = 'right' | 'swapped' | 'turned' | 'ended';

/** @param reason why following ended by itself, if it did */
async function asked(
  asker: Asker,
  leader: Arm,
  follower: Arm,
  over: AbortSignal,
  reason: () => string,
): Promise<Verdict> {
  try {
    const answer = await asker.choose(
      `Lead ${leader.name} slowly, one joint after the other. Does ${follower.name} go the right way?`,
      [
        { value: 'right', label: 'Yes: every joint goes as I lead it' },
        { value: 'turned', label: 'No: a joint goes the other way, or somewhere else' },
        { value: 'swapped', label: 'No: the arm in my hand pulls, and the other one is limp' },
      ],
      over,
    );
    return answer === 'right' || answer === 'turned' ? answer : 'swapped';
  } catch (error) {
    if (!over.aborted) throw error;
    asker.tell('warn', `It has ended: ${reason() || 'the program was told to end'}.`);
    return 'ended';
  }
}

/** Acts on what the user saw. @returns the exit code */
async function conclude(asker: Asker, { config }: TryOptions, pair: PairConfig, verdict: Verdict): Promise<number> {
  const { leader, follower } = pair;
  const again = [leader, follower].map((arm) => typed('calibrate', '--config', config, '--arm', arm)).join('\n');
  switch (verdict) {
    case 'right':
      // Its set-up has limited it.
      if (pair.velocity === SLOW) giveFullSpeed(config, pair);
      asker.tell('success', `${leader} leads ${follower}.`);
      return EXIT.ok;
    case 'turned':
      asker.tell(
        'warn',
        `One of the two calibrations has the joint the other way round. Do both again, and watch at the last step which way each joint goes:\n${again}`,
      );
      return EXIT.failed;
    case 'swapped':
      if (await asker.confirm(`Exchange the ports of ${leader} and ${follower} in ${config}?`, true)) {
        swapBuses(config, pair);
        asker.tell(
          'warn',
          `Each has the port of the other now. Calibrate both again, since calibrations belong to names:\n${again}`,
        );
      }
      return EXIT.failed;
    case 'ended':
      return EXIT.failed;
  }
}
