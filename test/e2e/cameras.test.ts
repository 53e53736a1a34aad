import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { WITNESS_PYTHON, witness } from '../support/witness.ts';
import { BridgeProcess, HAS_ROS, ROS_PYTHON, rosEnvironment, sleep } from './support/bridge.ts';

const TOPICS = ['/camera/image_raw', '/camera/image_raw/compressed', '/camera/camera_info'];
const document = readFileSync(new URL('../../docs/recording.md', import.meta.url), 'utf8');
const example = /^```python\n([\s\S]*?)^```$/m.exec(document)![1]!;

test.skipIf(!HAS_ROS || !WITNESS_PYTHON)(
  'what cameras on the ROS graph see is in the episode, as rosbags reads it',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-cameras-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const recording = { folder: join(folder, 'recordings'), images: TOPICS };
    const config = { recording, arms: [{ name: 'follower', bus: 'sim:so101' }] };
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
    const camera = spawn(ROS_PYTHON, [fileURLToPath(new URL('support/camera.py', import.meta.url))], {
      env: rosEnvironment(),
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const over = once(camera, 'close');
    onTestFinished(async () => {
      camera.stdin.end();
      await over;
    });
    const bridge = await BridgeProcess.start('--config', join(folder, 'config.yaml'));
    onTestFinished(() => bridge.endStopped());

    // Again until the graph has found the camera: everything else is in the episode at once.
    let path = '';
    const counts = async (): Promise<number[]> => {
      await bridge.post('/api/v1/episode/start');
      await sleep(1);
      const { body } = await bridge.post('/api/v1/episode/stop');
      path = body.path;
      const { topics } = (await bridge.get(`/api/v1/recordings/${body.name}`)).body;
      return TOPICS.map((topic) => topics.find(({ name }: { name: string }) => name === topic)?.messages ?? 0);
    };
    await expect.poll(async () => Math.min(...(await counts())), { timeout: 60_000 }).toBeGreaterThan(1);

    const script = new URL('../recording/read_episode.py', import.meta.url);
    const seen = (await witness(script, dirname(path), path, example)) as Record<string, number> & { cameras: object };
    expect(seen.own).toBe(seen.count);
    expect(seen.cameras).toEqual({
      '/camera/image_raw': ['sensor_msgs/msg/Image', 48, 64, 'rgb8', 64 * 48 * 3, 'camera'],
      '/camera/image_raw/compressed': ['sensor_msgs/msg/CompressedImage', 'jpeg', 15, 'camera'],
      '/camera/camera_info': ['sensor_msgs/msg/CameraInfo', 48, 64, 'plumb_bob', [0.1, 0.2, 0, 0, 0], 'camera'],
    });
  },
);
