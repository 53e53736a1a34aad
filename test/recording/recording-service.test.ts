import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McapIndexedReader } from '@mcap/core';
import { expect, onTestFinished, test } from 'vitest';
import type { Arm } from '../../src/arm/types.ts';
import { systemClock } from '../../src/clock.ts';
import type { Goals } from '../../src/motion/goals.ts';
import { Planners } from '../../src/motion/planners.ts';
import { readTrack } from '../../src/recording/recording-file.ts';
import { RecordingService } from '../../src/recording/recording-service.ts';

const SAMPLES = 10;
const PERIOD = 0.02;
const HOUR = 3600;
const BEGUN = 1.7e9;

/** Clock times of the messages of an MCAP file as its maker says when they were published, s. */
async function publishTimes(path: string): Promise<number[]> {
  const bytes = await readFile(path);
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, size) => bytes.subarray(Number(offset), Number(offset + size)),
    },
  });
  const times: number[] = [];
  for await (const { publishTime } of reader.readMessages()) times.push(Number(publishTime) / 1e9);
  return times;
}

for (const [direction, step] of [
  ['back', -HOUR],
  ['ahead', HOUR],
] as const) {
  test(`a system clock that is set ${direction} neither drops samples of a recording nor bends its times`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-recordings-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    let reads = 0;
    const arm = {
      name: 'follower',
      model: { joints: [{ name: 'shoulder_pan' }] },
      requireConnected: () => {},
      // A new sample with each read, until there are enough.
      read: () => {
        const k = Math.min(reads++, SAMPLES - 1);
        const passed = k * PERIOD;
        return {
          state: 'ready',
          sampleTime: BEGUN + passed + (k < SAMPLES / 2 ? 0 : step),
          sampleInstant: 5 + passed,
          positions: Float64Array.of(k),
          velocities: Float64Array.of(0),
          efforts: Float64Array.of(0),
        };
      },
    } as unknown as Arm;
    const recordings = new RecordingService(new Planners([]), {} as Goals, { folder, quota: 1 }, systemClock);
    const path = await recordings.start(arm, 'clock', 200);
    await expect.poll(() => reads).toBeGreaterThan(SAMPLES);
    const summary = await recordings.stop(arm);
    expect(summary).toMatchObject({ samples: SAMPLES, problem: null });
    expect(summary!.duration).toBeCloseTo((SAMPLES - 1) * PERIOD, 6);
    const track = await readTrack(path);
    expect(track.positions.map((q) => q[0])).toEqual(Array.from({ length: SAMPLES }, (_, k) => k));
    for (const [k, time] of track.times.entries()) expect(time).toBeCloseTo(k * PERIOD, 5);
    // What the clock said stays in the file.
    const times = await publishTimes(path);
    expect(times[0]).toBeCloseTo(BEGUN, 3);
    expect(times.at(-1)).toBeCloseTo(BEGUN + step + (SAMPLES - 1) * PERIOD, 3);
  });
}
