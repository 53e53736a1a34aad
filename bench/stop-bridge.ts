/** The compiled bridge with simulated arms, its loads, and the namespace of another host. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from './bridge.ts';
import type { StopLoad } from './stop-load.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const LOAD = fileURLToPath(new URL('stop-load.js', import.meta.url));
const TOKEN = 'c0ffee'.repeat(6);
/** Addresses of this computer and of the other host on the cable between them. */
const HERE = '10.78.0.1';
const THERE = '10.78.0.2';

export interface StopBridge {
  /** From this computer, where everything is served and where stops alone are. */
  readonly url: string;
  readonly stopUrl: string;
  readonly token: string | null;
  readonly folder: string;
  end(): Promise<void>;
}

function openssl(folder: string): { certificate: string; key: string } {
  const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=DNS:localhost,IP:127.0.0.1,IP:${HERE}`];
  const args = ['req', '-x509', ...curve, ...subject, '-out', files.certificate, '-keyout', files.key];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  return files;
}

/**
 * @param arms how many
 * @param exposed on all addresses, with TLS and a token
 */
export async function startStopBridge(arms: number, exposed: boolean): Promise<StopBridge> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-stop-'));
  const port = await freePort();
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  const open = exposed ? { host: '0.0.0.0', tls: openssl(folder), token_file: join(folder, 'token') } : {};
  const file = join(folder, 'bridge.json');
  writeFileSync(
    file,
    JSON.stringify({
      http: { port, stop_port: await freePort(), ...open },
      ros: { enabled: false },
      log: { level: 'info' },
      state_folder: folder,
      recording: { folder },
      arms: Array.from({ length: arms }, (_, k) => ({ name: `arm_${k}`, bus: 'sim:so101' })),
    }),
  );
  const child = spawn(process.execPath, [MAIN, '--config', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stopPort = 0;
  for await (const line of createInterface({ input: child.stdout! })) {
    const found = /Stops are also heard on port (\d+)/.exec(line);
    if (found === null) continue;
    stopPort = Number(found[1]);
    break;
  }
  if (stopPort === 0) throw new Error('the bridge did not start');
  child.stdout!.resume();
  const scheme = exposed ? 'https' : 'http';
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    stopUrl: `${scheme}://127.0.0.1:${stopPort}`,
    token: exposed ? TOKEN : null,
    folder,
    end: async () => {
      const exited = once(child, 'exit');
      // Simulated arms need not be lowered.
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Another host, by a cable to this one. */
export class OtherHost {
  readonly #name = `arm-bridge-stop-${process.pid}`;

  /** @returns null where this system does not let us make one, for people who see why */
  static make(): OtherHost | null {
    const host = new OtherHost();
    const name = host.#name;
    const steps = [
      ['netns', 'add', name],
      ['link', 'add', 'ab-stop', 'type', 'veth', 'peer', 'name', 'ab-stop-far', 'netns', name],
      ['address', 'add', `${HERE}/24`, 'dev', 'ab-stop'],
      ['link', 'set', 'ab-stop', 'up'],
      ['-n', name, 'address', 'add', `${THERE}/24`, 'dev', 'ab-stop-far'],
      ['-n', name, 'link', 'set', 'ab-stop-far', 'up'],
    ];
    for (const step of steps) {
      const { status, stderr, error } = spawnSync('ip', step, { encoding: 'utf8' });
      if (status === 0) continue;
      process.stderr.write(`no other host: ip ${step.join(' ')}: ${error?.message ?? stderr}\n`);
      host.remove();
      return null;
    }
    return host;
  }

  get prefix(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  /** The same server as it is reached from there. */
  seen(url: string): string {
    return url.replace('127.0.0.1', HERE);
  }

  remove(): void {
    spawnSync('ip', ['netns', 'delete', this.#name]);
  }
}

/** @param prefix of the command, for one that runs on another host */
export function startLoad(load: StopLoad, prefix: readonly string[] = []): ChildProcess {
  const [command, ...args] = [...prefix, process.execPath, LOAD, JSON.stringify(load)];
  return spawn(command!, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

export async function endLoad(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
