import { decodeJointState } from '../ros/cdr.ts';
import { nanoseconds } from './mcap-file.ts';
import { type OpenMcap, openMcap, unreadable } from './mcap-read.ts';
import { type Samples, type SamplesCommand, UnfitError } from './messages.ts';
import { type RecordedJoints, recordedJoints } from './recorded-joints.ts';

/** Maximum number of values in one answer: less than 64 kB as JSON. */
const MOST_VALUES = 7000;
const MOST_JOINTS = 32;
/** Goals and torques closer to a sample than this belong to it, ns: one and a half cycles. */
const CYCLE = 7_500_000n;
/** Points read between pauses. */
const AT_ONCE = 8;

/**
 * Joint motion of a recorded arm: the first sample at or after each of `points` evenly spaced times. Only these are
 * read, so an hour takes as long as a minute.
 * @param pause yields to other work in this thread
 * @throws {UnfitError} if the file is unreadable, or naming the arms in the file if it lacks the wanted one
 */
export async function samplesOf(path: string, wanted: SamplesCommand, pause: () => Promise<void>): Promise<Samples> {
  const file = await openMcap(path);
  try {
    return await sampled(file, wanted, pause);
  } catch (error) {
    throw unreadable(error);
  } finally {
    file.close();
  }
}

/** As `samplesOf`, for an open file. */
export async function sampled(
  file: OpenMcap,
  { source, begin, end, points }: Omit<SamplesCommand, 'name'>,
  pause: () => Promise<void>,
): Promise<Samples> {
  const recorded = recordedJoints(file, source, null);
  const { statistics } = file.reader;
  const zero = statistics?.messageStartTime ?? 0n;
  const length = (statistics?.messageEndTime ?? 0n) - zero;
  const nearer = (time: bigint): bigint => (time > length ? length : time);
  const [from, until] = [nearer(nanoseconds(begin)), end === null ? length : nearer(nanoseconds(end))];
  const any = await sampleWithin(file, recorded, zero, zero + length, false);
  const names = any?.names ?? [];
  if (names.length > MOST_JOINTS) throw new UnfitError(`it has more than ${MOST_JOINTS} joints`);
  const count = Math.min(points, Math.floor(MOST_VALUES / (3 * names.length + 1)));
  const times: number[] = [];
  const positions: number[][] = names.map(() => []);
  const goals: number[][] = names.map(() => []);
  const external: number[][] = names.map(() => []);
  const edge = (k: number): bigint => zero + from + ((until - from) * BigInt(k)) / BigInt(count);
  for (let k = 0; any !== null && until > from && k < count; k++) {
    // The first sample of each part, and finally the very last sample.
    const last = k === count - 1;
    const found = await sampleWithin(file, recorded, edge(k), last ? edge(k + 1) : edge(k + 1) - 1n, last);
    if (k % AT_ONCE === 0) await pause();
    if (found === null) continue;
    times.push(Number(found.time - zero) / 1e9);
    for (const i of names.keys()) {
      positions[i]!.push(found.positions[i] ?? Number.NaN);
      goals[i]!.push(found.goals?.[i] ?? Number.NaN);
      external[i]!.push(found.external?.[i] ?? Number.NaN);
    }
  }
  return { source: recorded.arm, joints: names, duration: Number(length) / 1e9, times, positions, goals, external };
}

interface Sample {
  /** ns */
  readonly time: bigint;
  readonly names: readonly string[];
  readonly positions: Float64Array;
  /** Goals (rad) and external torques (Nm) of the same cycle; null: none. */
  readonly goals: Float64Array | null;
  readonly external: Float64Array | null;
}

/** Values recorded with a sample: time in ns, and one value per joint. */
interface Beside {
  readonly time: bigint;
  readonly values: Float64Array;
}

/**
 * The first sample between two times (ns), or the last if `reverse`, with goals and torques of its cycle; null: none.
 */
async function sampleWithin(
  { reader }: OpenMcap,
  { topic, channel }: RecordedJoints,
  startTime: bigint,
  endTime: bigint,
  reverse: boolean,
): Promise<Sample | null> {
  const goalTopic = topic.replace(/joint_states$/, 'joint_setpoints');
  const topics = [topic, goalTopic, topic.replace(/joint_states$/, 'external_torques')];
  let found: Pick<Sample, 'time' | 'names' | 'positions'> | null = null;
  let goals: Beside | null = null;
  let external: Beside | null = null;
  const nearer = (one: Beside, other: Beside | null): Beside =>
    found === null || other === null || distance(found.time, one.time) < distance(found.time, other.time) ? one : other;
  for await (const { channelId, logTime: time, data } of reader.readMessages({ topics, startTime, endTime, reverse })) {
    if (found !== null && (channelId === channel || distance(found.time, time) > CYCLE)) break;
    const { names, positions, efforts } = decodeJointState(data);
    if (channelId === channel) found = { time, names, positions };
    else if (reader.channelsById.get(channelId)!.topic === goalTopic)
      goals = nearer({ time, values: positions }, goals);
    else external = nearer({ time, values: efforts }, external);
  }
  if (found === null) return null;
  const { time } = found;
  const belonging = (beside: Beside | null): Float64Array | null =>
    beside !== null && distance(time, beside.time) <= CYCLE ? beside.values : null;
  return { ...found, goals: belonging(goals), external: belonging(external) };
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}
