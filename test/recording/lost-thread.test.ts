import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Lane } from '../../explore/virtual-clock.ts';
import { VirtualHost } from '../../explore/virtual-host.ts';
import type { RecordingChannel } from '../../src/recording/recording-client.ts';
import type { RecordingSetup } from '../../src/recording/recording-thread.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** A machine whose recording thread can be lost, once or for good. */
class FailingHost extends VirtualHost {
  override recordingLane: Lane = this.time.lane('recording');
  started = 0;
  /** It cannot be started any more. */
  gone = false;
  #channel: RecordingChannel | null = null;

  override startRecording(setup: RecordingSetup): RecordingChannel {
    this.started++;
    if (!this.gone) {
      this.#channel = super.startRecording(setup);
      return this.#channel;
    }
    const dead: RecordingChannel = { onMessage: () => {}, onExit: () => {}, post: () => {} };
    this.clock.soon(() => dead.onExit(new Error('no memory')));
    return dead;
  }

  /** The thread that runs is lost, with all that it was about to do. */
  lose(): void {
    this.recordingLane.pause(Number.POSITIVE_INFINITY);
    this.recordingLane = this.time.lane(`recording ${this.started}`);
    this.#channel!.onExit(new Error('out of memory'));
  }
}

async function recording(): Promise<{ host: FailingHost; bridge: VirtualBridge }> {
  const host = new FailingHost(null);
  const bridge = await VirtualBridge.start({}, undefined, host);
  await bridge.post('/recording/start', { name: 'wave' });
  await bridge.post('/api/v1/episode/start', { name: 'pick' });
  await bridge.pass(5);
  return { host, bridge };
}

test('when the thread that records is lost while nobody asks it for anything, people are told, and what it had is saved', async () => {
  const { host, bridge } = await recording();
  host.lose();
  expect(bridge.told('the thread that records has failed (out of memory)')).toHaveLength(1);
  expect((await bridge.get('/api/v1/episode')).body.episode).toBeNull();
  expect((await bridge.post('/api/v1/episode/mark')).body.status).toBe('error');
  await bridge.becomes(() => expect(readdirSync(join(bridge.folder, 'recordings', 'pick'))).toContain('pick.mcap'));
  expect(readdirSync(join(bridge.folder, 'recordings')).sort()).toEqual(['pick', 'wave.mcap']);
  expect((await bridge.post('/recording/start', { name: 'again' })).body.status).toBe('ok');
});

test('a recording thread that cannot be started any more ends no bridge, and is not tried again and again', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { host, bridge } = await recording();
  host.gone = true;
  host.lose();
  await bridge.pass(5);
  expect(host.started).toBe(2);
  expect(bridge.told('recordings were not recovered')).toHaveLength(1);
  expect((await bridge.get('/api/v1/recordings')).status).toBe(503);
  // Node tells of it once all promises have had their turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
