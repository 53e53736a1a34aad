import { McapFile, nanoseconds } from './mcap-file.ts';
import { openMcap, unreadable } from './mcap-read.ts';
import type { TrimCommand } from './messages.ts';
import { allRecordedJoints } from './recorded-joints.ts';
import { EPISODE } from './recorder.ts';
import { qosOf } from './ros-schemas.ts';

/** A duration is told up to so much shorter than it is, ns. */
const ROUNDED = 2000n;
/** Messages copied between pauses. */
const AT_ONCE = 200;

/**
 * Copies a part of a recording to a new file, with all metadata and attachments. Latched messages from before that
 * part, such as robot descriptions, are repeated at its beginning.
 * @param pause yields to other work in this thread
 * @returns number of joint states copied
 * @throws {UnfitError} if the file is unreadable
 * @throws {Error} of the file system
 */
export async function trim(
  from: string,
  to: string,
  { name, begin, end }: TrimCommand,
  called: string,
  pause: () => Promise<void>,
): Promise<number> {
  const { reader, close } = await openMcap(from);
  try {
    const file = await McapFile.create(to);
    try {
      const zero = reader.statistics?.messageStartTime ?? 0n;
      const first = zero + nanoseconds(begin);
      // Durations are told in microseconds, and other programs stamp in nanoseconds: the whole duration means the whole file.
      const whole = (reader.statistics?.messageEndTime ?? 0n) - zero;
      const asked = nanoseconds(end);
      const last = zero + (asked < whole && whole - asked <= ROUNDED ? whole : asked);
      for await (const { name: of, metadata } of reader.readMetadata()) {
        const said = new Map(metadata);
        if (of === EPISODE) said.set('name', called).set('trimmed', JSON.stringify({ from: name, begin, end }));
        await file.writer.addMetadata({ name: of, metadata: said });
      }
      for await (const attachment of reader.readAttachments()) await file.writer.addAttachment(attachment);
      const schemas = new Map<number, number>();
      const channels = new Map<number, number>();
      const channelOf = async (id: number): Promise<number> => {
        let made = channels.get(id);
        if (made !== undefined) return made;
        const channel = reader.channelsById.get(id)!;
        const schema = reader.schemasById.get(channel.schemaId);
        if (schema !== undefined && !schemas.has(schema.id))
          schemas.set(schema.id, await file.writer.registerSchema(schema));
        made = await file.writer.registerChannel({ ...channel, schemaId: schemas.get(channel.schemaId) ?? 0 });
        channels.set(id, made);
        return made;
      };
      const latched = [...reader.channelsById.values()]
        .map(({ topic }) => topic)
        .filter((topic) => qosOf(topic) !== '');
      if (latched.length > 0 && first > zero) {
        for await (const message of reader.readMessages({ topics: latched, endTime: first - 1n })) {
          const channelId = await channelOf(message.channelId);
          await file.writer.addMessage({ ...message, channelId, logTime: first, publishTime: first });
        }
      }
      const states = new Set(allRecordedJoints({ reader, close }).map(({ channel }) => channel));
      let [count, samples] = [0, 0];
      for await (const message of reader.readMessages({ startTime: first, endTime: last })) {
        const channelId = await channelOf(message.channelId);
        await file.writer.addMessage({ ...message, channelId });
        if (states.has(message.channelId)) samples++;
        if (++count % AT_ONCE === 0) await pause();
      }
      await file.end();
      return samples;
    } catch (error) {
      file.abandon();
      throw error;
    }
  } catch (error) {
    throw unreadable(error);
  } finally {
    close();
  }
}
