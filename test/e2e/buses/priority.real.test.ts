import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RigBridge, SerialRig } from './support/rig.ts';

const PRIORITY = 7;

/** Whether this user may raise a thread's priority, by trying it on a program that does nothing. */
const allowed = spawnSync('chrt', ['-f', String(PRIORITY), 'true']).status === 0;

/** Runs a program without the capability that it takes. */
const WITHOUT = ['setpriv', '--inh-caps=-sys_nice', '--bounding-set=-sys_nice'];
const deniable = !allowed || spawnSync(WITHOUT[0]!, [...WITHOUT.slice(1), 'true']).status === 0;

/** Priorities that the kernel has for the threads of this process. */
function priorities(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // proc(5): rt_priority is field 40; the second may hold blanks, and ends with the last bracket.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[40 - 3]);
  });
}

async function start(more: Readonly<Record<string, string>> = {}): Promise<RigBridge> {
  const rig = await SerialRig.start();
  const bridge = await RigBridge.start({ arm: `serial:${rig.path}`, ...more }, { priority: PRIORITY });
  onTestFinished(async () => {
    await bridge.close();
    await rig.close();
  });
  return bridge;
}

/** Sets where programs are looked for. */
function search(path: string): void {
  const before = process.env.PATH;
  process.env.PATH = path;
  onTestFinished(() => {
    process.env.PATH = before;
  });
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'arm-bridge-priority-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

describe.skipIf(process.platform !== 'linux')('control.priority', () => {
  test.skipIf(!allowed)(
    'gives its priority to the control thread, one less to stops and to simulated arms and none to others, and the status says so',
    async () => {
      expect(priorities().filter((priority) => priority > 0)).toEqual([]);
      const bridge = await start({ twin: 'sim:so101' });
      expect(
        priorities()
          .filter((priority) => priority > 0)
          .sort((a, b) => a - b),
      ).toEqual([PRIORITY - 1, PRIORITY - 1, PRIORITY]);
      expect((await bridge.get('/status')).body.loop.priority).toBe(PRIORITY);
      expect(bridge.told('without control.priority')).toEqual([]);
    },
  );

  test('without chrt the bridge runs without, and the log says what to install', async () => {
    const only = folder();
    const perl = execFileSync('sh', ['-c', 'command -v perl || command -v python3'], { encoding: 'utf8' }).trim();
    symlinkSync(perl, join(only, perl.endsWith('perl') ? 'perl' : 'python3'));
    symlinkSync(execFileSync('sh', ['-c', 'command -v stty'], { encoding: 'utf8' }).trim(), join(only, 'stty'));
    search(only);
    const bridge = await start();
    expect((await bridge.get('/status')).body.loop.priority).toBeNull();
    expect(bridge.told(`without control.priority ${PRIORITY}`)).toHaveLength(1);
    expect(bridge.told('install util-linux')).toHaveLength(1);
    expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
  });

  test.skipIf(!deniable)(
    'without the capability the bridge runs without, and the log names the ways to it',
    async () => {
      if (allowed) {
        const first = folder();
        const real = execFileSync('sh', ['-c', 'command -v chrt'], { encoding: 'utf8' }).trim();
        const script = `#!/bin/sh\nexec ${WITHOUT.join(' ')} ${real} "$@"\n`;
        writeFileSync(join(first, 'chrt'), script, { mode: 0o755 });
        search(`${first}:${process.env.PATH}`);
      }
      const bridge = await start();
      expect((await bridge.get('/status')).body.loop.priority).toBeNull();
      expect(priorities().filter((priority) => priority > 0)).toEqual([]);
      expect(bridge.told('CAP_SYS_NICE')).toHaveLength(1);
      expect(bridge.told('docker/realtime.yaml')[0]).toMatch(/limits\.conf.*setcap/);
    },
  );
});
