import type { MappedModel } from '../rt/sources/joint-map.ts';
import type { OpenMcap } from './mcap-read.ts';
import { UnfitError } from './messages.ts';
import { EPISODE } from './recorder.ts';
import { JOINT_STATE } from './ros-schemas.ts';

/** The joint states of one arm in a file. */
export interface RecordedJoints {
  readonly arm: string;
  readonly topic: string;
  /** MCAP channel id. */
  readonly channel: number;
  /** Its setpoints in the same file; null: none, as in a recording of joints only or of another program. */
  readonly setpoints: { readonly topic: string; readonly channel: number } | null;
}

/** The joint states of each arm in a file, in file order. */
export function allRecordedJoints({ reader: { channelsById, schemasById } }: OpenMcap): RecordedJoints[] {
  const states = [...channelsById.values()].filter(
    ({ schemaId, messageEncoding }) => messageEncoding === 'cdr' && schemasById.get(schemaId)?.name === JOINT_STATE,
  );
  const own = states.filter(({ topic }) => topic.endsWith('/joint_states'));
  const setpointsOf = (topic: string): RecordedJoints['setpoints'] => {
    const wanted = topic.replace(/joint_states$/, 'joint_setpoints');
    const found = states.find((channel) => channel.topic === wanted && wanted !== topic);
    return found === undefined ? null : { topic: wanted, channel: found.id };
  };
  return (own.length > 0 ? own : states).map(({ id, topic }) => ({
    arm: topic.split('/').at(-2) || topic,
    topic,
    channel: id,
    setpoints: setpointsOf(topic),
  }));
}

/**
 * Finds the joint states of an arm in a file.
 * @param source name of the recorded arm; null: `arm` if it is in the file, else the first
 * @throws {UnfitError} naming the arms in the file
 */
export function recordedJoints(file: OpenMcap, source: string | null, arm: string | null): RecordedJoints {
  const all = allRecordedJoints(file);
  const [first] = all;
  if (first === undefined) throw new UnfitError(`it has no messages of type ${JOINT_STATE}`);
  const named = all.find((joints) => joints.arm === (source ?? arm));
  if (named !== undefined || source === null) return named ?? first;
  throw new UnfitError(`it has no arm ${source}, but ${all.map((joints) => joints.arm).join(', ')}`);
}

/** Model data of an arm in an episode, as needed to match joints; null if the episode lacks it. */
export async function recordedModel({ reader }: OpenMcap, arm: string): Promise<MappedModel | null> {
  for await (const { metadata } of reader.readMetadata({ name: EPISODE })) {
    try {
      const arms = JSON.parse(metadata.get('arms') ?? '[]') as readonly SaidOfArm[];
      const said = arms.find(({ name }) => name === arm);
      if (said !== undefined) return modelOf(said);
    } catch {
      // Another program wrote this metadata in another format.
    }
  }
  return null;
}

interface SaidOfArm {
  readonly name: string;
  readonly model: string;
  readonly joints: readonly { name: string; role?: string; role_sign?: number; role_zero?: number }[];
  readonly gripper: { readonly joint: string; readonly closed: number; readonly open: number } | null;
}

function modelOf({ model, joints, gripper }: SaidOfArm): MappedModel | null {
  if (joints.some(({ role }) => role === undefined)) return null;
  return {
    name: model,
    joints: joints.map(({ name, role = '', role_sign: sign, role_zero: zero }) => {
      const known = Number.isFinite(sign) && Number.isFinite(zero);
      return { name, role, roleFrame: known ? { sign: sign!, zero: zero! } : null };
    }),
    gripper: gripper && {
      index: joints.findIndex(({ name }) => name === gripper.joint),
      closed: gripper.closed,
      open: gripper.open,
    },
  };
}
