import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { FeetechBus } from '../../../src/servo/feetech/feetech-bus.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { makeExclusive } from '../../../src/servo/port/exclusive.ts';
import type { PortError } from '../../../src/servo/port/port.ts';
import { type SerialOptions, SerialPort } from '../../../src/servo/port/serial.ts';
import { openError } from '../../../src/servo/port/serial-errors.ts';
import { parseBusUrl } from '../../../src/servo/port/url.ts';
import { ServedArm } from '../../../src/sim/serve.ts';
import { PseudoTerminal } from '../../../src/sim/terminal.ts';
import { type CompiledSources, compileSources } from '../../sim/compiled.ts';
import { so101 } from '../../sim/so101.ts';
import { FakeTree, SO101_ADAPTER } from './tree.ts';

function serialPort(path: string, options: SerialOptions = {}): SerialPort {
  const url = `serial:${path}`;
  const target = parseBusUrl(url);
  if (target.kind !== 'serial') throw new Error(`${url} is no serial port`);
  return new SerialPort(url, target, systemClock, options);
}

/** Waits until the bytes have come; fails by the test's own time limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function terminal(onBytes: (chunk: Uint8Array) => void = () => {}): Promise<PseudoTerminal> {
  const pty = await PseudoTerminal.open(onBytes);
  ends.push(() => pty.close());
  return pty;
}

async function opened(path: string, options: SerialOptions = {}): Promise<SerialPort> {
  const port = serialPort(path, options);
  ends.push(() => port.close());
  await port.open();
  return port;
}

describe.each(['descriptor', 'stream'] as const)('a serial port by its %s', (way) => {
  it('passes every byte value both ways untouched', async () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const there: number[] = [];
    const back: number[] = [];
    const pty = await terminal((chunk) => void there.push(...chunk));
    const port = await opened(pty.path, { way });
    port.onBytes = (chunk) => void back.push(...chunk);
    port.write(all);
    pty.write(all);
    await until(() => there.length >= 256 && back.length >= 256);
    expect(there).toEqual([...all]);
    expect(back).toEqual([...all]);
    expect(port.report).toMatchObject({ way, baudRate: 1_000_000 });
  });

  it('loses no byte unnoticed when the far end takes none for a while', async () => {
    const there: number[] = [];
    const pty = await terminal((chunk) => void there.push(...chunk));
    const port = await opened(pty.path, { way });
    const frame = new Uint8Array(250);
    const sent: number[] = [];
    // Written in one go: the far end, on the same event loop, cannot read in between.
    for (let i = 0; i < 1200; i++) {
      const before = port.dropped;
      frame.fill(i & 0xff);
      port.write(frame);
      const taken = frame.length - (port.dropped - before);
      for (let k = 0; k < taken; k++) sent.push(i & 0xff);
    }
    expect(port.dropped).toBeGreaterThan(0);
    await until(() => there.length >= sent.length);
    expect(there).toEqual(sent);
  });

  it('opens again after it was closed, and says nothing of a close that was asked for', async () => {
    const there: number[] = [];
    const pty = await terminal((chunk) => void there.push(...chunk));
    const port = await opened(pty.path, { way });
    let losses = 0;
    port.onClose = () => losses++;
    await port.close();
    await port.close();
    port.write(Uint8Array.of(1));
    await port.open();
    port.write(Uint8Array.of(2));
    await until(() => there.length > 0);
    expect(there).toEqual([2]);
    expect(losses).toBe(0);
  });
});

describe('a serial port whose adapter is pulled out', () => {
  it('notices within half a second that the far end has gone, says so once, and takes writes in silence', async () => {
    const pty = await terminal();
    const port = await opened(pty.path);
    const reasons: PortError[] = [];
    let noticed = 0;
    port.onClose = (reason) => {
      noticed = performance.now();
      reasons.push(reason);
    };
    const pulled = performance.now();
    await pty.close();
    await until(() => reasons.length > 0);
    console.info(`unplugging was noticed after ${(noticed - pulled).toFixed(1)} ms`);
    expect(noticed - pulled).toBeLessThan(500);
    port.write(Uint8Array.of(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatchObject({ code: 'closed', message: expect.stringContaining('check the USB cable') });
  });
});

describe('a serial port in a worker thread, where the control loop has it', () => {
  let compiled: CompiledSources;
  beforeAll(() => {
    compiled = compileSources('servo');
  });
  afterAll(() => compiled.remove());

  it('gets its bytes on the thread of its own and notices unplugging there', async () => {
    const pty = await terminal((chunk) => pty.write(chunk));
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      Promise.all([import(workerData.module), import(workerData.clock)]).then(async ([{ makePort }, { systemClock }]) => {
        const port = makePort(workerData.url, systemClock);
        port.onBytes = (chunk) => parentPort.postMessage([...chunk]);
        port.onClose = (reason) => parentPort.postMessage(reason.code);
        await port.open();
        port.write(Uint8Array.of(1, 2, 3));
      });`,
      {
        eval: true,
        workerData: {
          module: compiled.url('servo/port/make.ts').href,
          clock: compiled.url('clock.ts').href,
          url: `serial:${pty.path}`,
        },
      },
    );
    ends.push(() => worker.terminate());
    const [echo] = await once(worker, 'message');
    expect(echo).toEqual([1, 2, 3]);
    const closed = once(worker, 'message');
    // A thread that ends hands over its last message in the same turn.
    const exited = once(worker, 'exit');
    await pty.close();
    expect(await closed).toEqual(['closed']);
    // Nothing of the port keeps the thread alive.
    expect(await exited).toEqual([0]);
  });
});

describe('a serial port to an emulated arm', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'arm-bridge-port-'));
    ends.push(() => rmSync(folder, { recursive: true }));
  });

  function read(bus: FeetechBus, address = STS3215.registers.present_position.address, length = 2): Promise<void> {
    return new Promise((resolve) => {
      const timer = setInterval(() => bus.expire(), 200);
      bus.onSettled = () => {
        clearInterval(timer);
        resolve();
      };
      bus.beginRead(address, length);
    });
  }

  it('reads and moves its servos, survives unplugging, and finds the arm as it was', async () => {
    const link = join(folder, 'arm');
    const served = await ServedArm.start({ clock: systemClock, arm: so101('arm'), pty: { link } });
    ends.push(() => served.close());
    const port = await opened(link);
    const bus = new FeetechBus(port, [1, 2, 3, 4, 5, 6]);
    await read(bus);
    expect([...bus.answered]).toEqual([1, 1, 1, 1, 1, 1]);
    expect(bus.discarded).toBe(0);
    bus.syncWrite(STS3215.registers.goal_position, [2200, 2048, 2048, 2048, 2048, 2048]);
    const wanted = ((2200 - 2048) * 2 * Math.PI) / 4096;
    await until(() => Math.abs(served.truth().positions[0]! - wanted) < 0.02);

    let reason: PortError | null = null;
    port.onClose = (why) => {
      reason = why;
    };
    await served.unplug();
    await until(() => reason !== null);
    bus.abandon();
    await expect(port.open()).rejects.toMatchObject({ code: 'not_found' });
    await served.plugIn();
    await port.open();
    await read(bus, STS3215.registers.torque_enable.address, 4);
    expect([...bus.answered]).toEqual([1, 1, 1, 1, 1, 1]);
    const [torque, , low, high] = bus.block;
    expect([torque, low! + 256 * high!]).toEqual([1, 2200]);
  });
});

describe('a serial port whose adapter holds replies back', () => {
  it('is opened, and says how to quicken it', async () => {
    const pty = await terminal();
    const tree = new FakeTree();
    ends.push(() => tree.remove());
    const tty = basename(pty.path);
    tree.adapter({ ...SO101_ADAPTER, tty, latencyTimer: '16' });
    const slow = serialPort(pty.path, { root: tree.root });
    ends.push(() => slow.close());
    await slow.open();
    expect(slow.advice).toEqual([
      expect.stringContaining(
        `latency timer is 16 ms, so that replies come late; run: echo 1 | sudo tee /sys/bus/usb-serial/devices/${tty}/latency_timer`,
      ),
    ]);
    await slow.close();
    tree.file(`sys/bus/usb-serial/devices/${tty}/latency_timer`, '1');
    await slow.open();
    expect(slow.advice).toEqual([]);
  });
});

describe('a serial port that cannot be opened', () => {
  it('names the process that has it open', async () => {
    const pty = await terminal();
    const holder = spawn('sh', ['-c', `exec 3<>${pty.path}; echo open; exec sleep 61`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      await once(holder.stdout!, 'data');
      await expect(serialPort(pty.path).open()).rejects.toMatchObject({
        code: 'busy',
        message: expect.stringMatching(new RegExp(`in use by process ${holder.pid} \\(.*61.*\\); end it`)),
      });
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
    await opened(pty.path);
  });

  it('is not given to two arms of one bridge', async () => {
    const pty = await terminal();
    await opened(pty.path);
    await expect(serialPort(pty.path).open()).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining('in use by this bridge itself; give each arm a bus of its own'),
    });
  });

  it('lists the ports that there are when it is absent', async () => {
    const tree = new FakeTree();
    ends.push(() => tree.remove());
    tree.adapter(SO101_ADAPTER);
    await expect(serialPort('/dev/ttyABSENT0', { root: tree.root }).open()).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/there is no \/dev\/ttyABSENT0\. There are: .*58FA1234/),
    });
    await expect(serialPort('?serial=58FA9999', { root: tree.root }).open()).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/serial number "58FA9999"\. There are: .*58FA1234/),
    });
  });

  it('says that a file is no serial port', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-port-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(serialPort(file).open()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('is no serial port'),
    });
  });

  it('names the group to join and the udev rule of the adapter when it is not permitted', async () => {
    const tree = new FakeTree();
    ends.push(() => tree.remove());
    tree.adapter(SO101_ADAPTER);
    const error = await openError('serial:/dev/ttyACM0', '/dev/ttyACM0', 'EACCES', tree.root);
    expect(error.code).toBe('permission');
    expect(error.message).toMatch(/sudo usermod -aG \w+ "\$USER", then log in again/);
    expect(error.message).toContain('SUBSYSTEM=="tty", ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="55d3"');
    expect(error.message).toContain('/etc/udev/rules.d/');
  });

  it.each([
    ['Error: Invalid argument || while setting custom baud rate of 1234567', 'unsupported', /\?baud=/],
    ['Error: No such device or address, cannot open /dev/ttyACM0', 'closed', /plug it in again/],
    ['EIO', 'closed', /plug it in again/],
    ['EMFILE', 'failed', /EMFILE/],
  ])('explains "%s"', async (cause, code, advice) => {
    const error = await openError('serial:/dev/ttyACM0', '/dev/ttyACM0', cause);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^serial:\/dev\/ttyACM0: \/dev\/ttyACM0 /);
    expect(error.message).toMatch(advice);
  });
});

describe.skipIf(process.platform !== 'linux')('a terminal that is made exclusive', () => {
  /** Opens a terminal from a program without CAP_SYS_ADMIN, as people start them. */
  async function opensElsewhere(path: string): Promise<string> {
    const code =
      'try { require("fs").openSync(process.argv[1], "r+"); console.log("open") } catch (e) { console.log(e.code) }';
    const node = [process.execPath, '-e', code, path];
    const without = ['--bounding-set', '-sys_admin', '--inh-caps', '-sys_admin', '--ambient-caps', '-all', ...node];
    const [program, ...args] = process.getuid?.() === 0 ? ['setpriv', ...without] : node;
    const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    await once(child, 'close');
    return output.trim();
  }

  it('cannot be opened by another program, so that nobody takes half of the answers', async () => {
    const pty = await terminal();
    const fd = openSync(pty.path, constants.O_RDWR | constants.O_NOCTTY);
    ends.push(() => closeSync(fd));
    expect(await opensElsewhere(pty.path)).toBe('open');
    expect(await makeExclusive(fd)).toBe(true);
    expect(await opensElsewhere(pty.path)).toBe('EBUSY');
  });

  it('is told to a person as in use', async () => {
    const error = await openError('serial:/dev/ttyACM0', '/dev/ttyACM0', 'EBUSY');
    expect([error.code, error.message]).toEqual(['busy', expect.stringContaining('in use')]);
  });

  it('is no pseudo-terminal of ours: it would stay so after it is closed', async () => {
    const pty = await terminal();
    const port = await opened(pty.path);
    expect(port.report?.exclusive).toBe(false);
    expect(await opensElsewhere(pty.path)).toBe('open');
  });

  it('is one that takes the call, which a file does not', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'arm-bridge-file-')), 'file');
    writeFileSync(file, '');
    ends.push(() => rmSync(dirname(file), { recursive: true }));
    const fd = openSync(file, 'r');
    ends.push(() => closeSync(fd));
    expect(await makeExclusive(fd)).toBe(false);
  });
});
