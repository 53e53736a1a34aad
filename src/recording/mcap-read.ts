import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { McapIndexedReader, McapStreamReader } from '@mcap/core';
import { decompress } from 'fzstd';
import { messageOf } from '../message-of.ts';
import { McapFile } from './mcap-file.ts';
import { UnfitError } from './messages.ts';

/** Bytes per read. */
const BLOCK = 1 << 20;
/** Largest plausible read for a recording, bytes; a corrupt index may ask for more. */
const LARGEST_READ = 256e6;

/** Compressions of other programs that can be read. lz4, which few use, cannot. */
const DECOMPRESS = {
  zstd: (bytes: Uint8Array, size: bigint): Uint8Array => {
    if (Number(size) > LARGEST_READ) throw new Error('a chunk of it is too large');
    return decompress(bytes, new Uint8Array(Number(size)));
  },
};

/** An MCAP file that is read by its index. */
export interface OpenMcap {
  readonly reader: McapIndexedReader;
  close(): void;
}

/**
 * Opens a file by its index.
 * @throws {UnfitError} if it is not a complete MCAP file, or compressed in another way than by zstd
 * @throws {Error} of the file system
 */
export async function openMcap(path: string): Promise<OpenMcap> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const readable = {
      size: async () => BigInt(size),
      read: async (offset: bigint, length: bigint) => {
        const wanted = Number(length);
        if (wanted > LARGEST_READ || Number(offset) + wanted > size) throw new Error('it names what it does not have');
        const bytes = new Uint8Array(wanted);
        for (let got = 0; got < wanted; ) {
          const part = readSync(file, bytes, got, wanted - got, Number(offset) + got);
          if (part === 0) throw new Error('it is shorter than it says');
          got += part;
        }
        return bytes;
      },
    };
    const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: DECOMPRESS });
    const other = reader.chunkIndexes.find(({ compression }) => compression !== '' && !(compression in DECOMPRESS));
    if (other !== undefined) {
      throw new UnfitError(
        `it is compressed by ${other.compression}, not by zstd: "mcap decompress" makes a file that can be used`,
      );
    }
    return { reader, close: () => closeSync(file) };
  } catch (error) {
    closeSync(file);
    throw unreadable(error);
  }
}

/** Converts a reader's error to an `UnfitError`; file system errors stay as they are. */
export function unreadable(error: unknown): unknown {
  if (error instanceof UnfitError || (error as NodeJS.ErrnoException).code !== undefined) return error;
  return new UnfitError(`it cannot be read as an MCAP file (${messageOf(error)})`);
}

/** Reads the records of a file in sequence, until its end or the first unreadable record. */
function* records(path: string) {
  const file = openSync(path, 'r');
  try {
    const stream = new McapStreamReader({ validateCrcs: true });
    const block = new Uint8Array(BLOCK);
    for (let length = readSync(file, block); length > 0; length = readSync(file, block)) {
      stream.append(block.slice(0, length));
      for (let record = stream.nextRecord(); record !== undefined; record = stream.nextRecord()) yield record;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a complete file from an unfinished one, up to its last whole chunk.
 * @param pause yields to other work in this thread; called regularly
 * @returns number of messages saved
 * @throws {Error} of the file system
 */
export async function rescue(from: string, to: string, pause: () => Promise<void>): Promise<number> {
  const file = await McapFile.create(to);
  try {
    const count = await copy(from, file, pause);
    await file.end();
    return count;
  } catch (error) {
    file.abandon();
    throw error;
  }
}

async function copy(from: string, { writer }: McapFile, pause: () => Promise<void>): Promise<number> {
  const schemas = new Map<number, number>();
  const channels = new Map<number, number>();
  let count = 0;
  try {
    for (const record of records(from)) {
      if (record.type === 'Schema' && !schemas.has(record.id)) {
        const { name, encoding, data } = record;
        schemas.set(record.id, await writer.registerSchema({ name, encoding, data: data.slice() }));
      } else if (record.type === 'Channel' && !channels.has(record.id)) {
        const { topic, messageEncoding, metadata, schemaId } = record;
        const channel = { topic, messageEncoding, metadata, schemaId: schemas.get(schemaId) ?? 0 };
        channels.set(record.id, await writer.registerChannel(channel));
      } else if (record.type === 'Message') {
        const channelId = channels.get(record.channelId);
        if (channelId === undefined) continue;
        await writer.addMessage({ ...record, channelId });
        if (++count % 500 === 0) await pause();
      } else if (record.type === 'Metadata') {
        await writer.addMetadata(record);
      } else if (record.type === 'Attachment') {
        await writer.addAttachment(record);
      }
    }
  } catch (error) {
    // A read error ends the copy. A write error is a failure.
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
  }
  return count;
}
