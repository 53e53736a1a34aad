import { readFileSync, writeFileSync } from 'node:fs';
import { McapIndexedReader, McapWriter, TempBuffer } from '@mcap/core';
import { McapFile } from '../../src/recording/mcap-file.ts';
import { JOINT_STATE } from '../../src/recording/ros-schemas.ts';
import { decodeJointState, JointStateEncoder } from '../../src/ros/cdr.ts';

export interface ReadMessage {
  readonly topic: string;
  readonly type: string;
  /** s since the epoch */
  readonly logged: number;
  readonly published: number;
  readonly data: Uint8Array;
}

/** A complete MCAP file, by its index. */
export function indexed(path: string): Promise<McapIndexedReader> {
  const bytes = readFileSync(path);
  return McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, size) => bytes.subarray(Number(offset), Number(offset + size)),
    },
  });
}

/** All messages of a file, in the order of their times. */
export async function messagesOf(path: string): Promise<ReadMessage[]> {
  const reader = await indexed(path);
  const messages: ReadMessage[] = [];
  for await (const { channelId, logTime, publishTime, data } of reader.readMessages()) {
    const { topic, schemaId } = reader.channelsById.get(channelId)!;
    const type = reader.schemasById.get(schemaId)!.name;
    messages.push({ topic, type, logged: Number(logTime) / 1e9, published: Number(publishTime) / 1e9, data });
  }
  return messages;
}

/** The joint states of a file, or those of one topic. */
export async function jointStates(path: string, topic?: string) {
  const messages = await messagesOf(path);
  return messages
    .filter((message) => message.type === JOINT_STATE && (topic === undefined || message.topic === topic))
    .map(({ data, published }) => ({ ...decodeJointState(data), published }));
}

/** Writes joint states as another program might. @param times s @param poses rad, one row for each time */
export async function writeJointStates(
  path: string,
  name: string,
  joints: readonly string[],
  times: readonly number[],
  poses: readonly (readonly number[])[],
): Promise<void> {
  const file = await McapFile.create(path);
  const topic = await file.topic(name, JOINT_STATE);
  const encoder = new JointStateEncoder(joints);
  for (const [k, time] of times.entries()) {
    const at = 1e9 + time;
    await file.add(topic, encoder.encode(at, Float64Array.from(poses[k]!), null, null), at);
  }
  await file.end();
}

/** A file that a killed bridge has left, long enough for pauses while it is completed. */
export async function writeUnfinished(path: string): Promise<void> {
  const file = await McapFile.create(path, 1000);
  const topic = await file.topic('/arm/joint_states', JOINT_STATE);
  const encoder = new JointStateEncoder(['gripper']);
  for (let k = 0; k < 1200; k++) await file.add(topic, encoder.encode(k, Float64Array.of(0), null, null), k);
  file.abandon();
}

/** Writes a file with so many channels of joint states, whose names are so long, and one message. */
export async function writeChannels(path: string, count: number, length: number): Promise<void> {
  const writable = new TempBuffer();
  const writer = new McapWriter({ writable });
  await writer.start({ profile: 'ros2', library: 'test' });
  const schemaId = await writer.registerSchema({ name: JOINT_STATE, encoding: 'ros2msg', data: new Uint8Array() });
  const channel = { schemaId, messageEncoding: 'cdr', metadata: new Map<string, string>() };
  let channelId = 0;
  for (let k = 0; k < count; k++) {
    channelId = await writer.registerChannel({ ...channel, topic: `/${'a'.repeat(length)}${k}/joint_states` });
  }
  await writer.addMessage({ channelId, sequence: 0, logTime: 1n, publishTime: 1n, data: new Uint8Array(4) });
  await writer.end();
  writeFileSync(path, writable.get());
}
