import { CdrWriter } from '@foxglove/cdr';
import type { RecordedEvent } from './messages.ts';

const LEVELS = { info: 20, warn: 30, error: 40 } as const;

/** An event as rcl_interfaces/msg/Log. @param time s since the epoch */
export function encodeEvent({ level, source, what, text }: RecordedEvent, time: number): Uint8Array {
  const seconds = Math.floor(time);
  return new CdrWriter()
    .int32(seconds)
    .uint32(Math.floor((time - seconds) * 1e9))
    .uint8(LEVELS[level])
    .string(source)
    .string(text)
    .string('')
    .string(what)
    .uint32(0).data;
}

/** A text as std_msgs/msg/String. */
export function encodeText(text: string): Uint8Array {
  return new CdrWriter().string(text).data;
}
