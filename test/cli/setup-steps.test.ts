import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { Asker } from '../../src/cli/setup/asker.ts';
import { awaitReplug, Replug, type ReplugState, replugAdvice } from '../../src/cli/setup/port.ts';
import { type Command, install, installation, offerRule, ruleOf, typed } from '../../src/cli/setup/rule.ts';
import type { Clock } from '../../src/clock.ts';
import { discoverPorts, type PortInfo, usbPort } from '../../src/servo/port/discovery.ts';
import { FakeTree, SO101_ADAPTER, U2D2 } from '../servo/port/tree.ts';

let tree: FakeTree;
beforeEach(() => {
  tree = new FakeTree();
});
afterEach(() => tree.remove());

/** Runs what reads real files and sleeps by a virtual clock. */
async function inVirtualTime<Result>(work: (clock: Clock) => Promise<Result>): Promise<Result> {
  const time = new VirtualTime();
  let done = false;
  const result = work(time.lane('command line')).finally(() => {
    done = true;
  });
  while (!done) {
    await setImmediate();
    time.step(Number.POSITIVE_INFINITY);
  }
  return result;
}

/** The ports of a machine with these adapters. */
async function ports(...adapters: (typeof SO101_ADAPTER)[]): Promise<PortInfo[]> {
  tree.remove();
  tree = new FakeTree();
  for (const adapter of adapters) tree.adapter(adapter);
  return discoverPorts(tree.root);
}

describe('a port that is unplugged and plugged in again', () => {
  it('is found, also under another device file', async () => {
    const both = await ports(SO101_ADAPTER, U2D2);
    const replug = new Replug(both);
    expect(replug.see(both).step).toBe('unplug');
    expect(replug.see(await ports(U2D2)).step).toBe('plug in');
    expect(replug.see(await ports(U2D2)).step).toBe('plug in');
    const moved = await ports(U2D2, { ...SO101_ADAPTER, tty: 'ttyACM3' });
    expect(replug.see(moved)).toMatchObject({
      step: 'found',
      port: { path: '/dev/ttyACM3', serialNumber: '58FA1234' },
    });
  });

  it('is found when it was not plugged in at first', async () => {
    const replug = new Replug(await ports(U2D2));
    expect(replug.see(await ports(U2D2, SO101_ADAPTER))).toMatchObject({
      step: 'found',
      port: { path: '/dev/ttyACM0' },
    });
  });

  it('is not taken for another one that comes meanwhile, nor for one of several behind a hub', async () => {
    const both = await ports(SO101_ADAPTER, U2D2);
    const other = {
      ...U2D2,
      tty: 'ttyUSB3',
      usb: '1-7',
      byId: 'other',
      attributes: { ...U2D2.attributes, serial: 'OTHER' },
    };
    const replug = new Replug(both);
    expect(replug.see(await ports(U2D2)).step).toBe('plug in');
    expect(replug.see(await ports(U2D2, other)).step).toBe('plug in');

    const hub = new Replug(both);
    const gone = hub.see([]);
    expect(gone).toEqual({ step: 'again', paths: ['/dev/ttyACM0', '/dev/ttyUSB10'] });
    expect(replugAdvice(gone)).toContain('not a hub');
    expect(hub.see(await ports(SO101_ADAPTER)).step).toBe('unplug');
    expect(hub.see(both).step).toBe('unplug');
    expect(hub.see(await ports(U2D2)).step).toBe('plug in');
    expect(hub.see(both)).toMatchObject({ step: 'found', port: { path: '/dev/ttyACM0' } });
  });

  it('is waited for, each step being told once, and not for ever', async () => {
    tree.adapter(U2D2);
    const told: ReplugState['step'][] = [];
    const found = await inVirtualTime((clock) =>
      awaitReplug(
        clock,
        60,
        ({ step }) => {
          told.push(step);
          tree.adapter(SO101_ADAPTER);
        },
        tree.root,
      ),
    );
    expect([found?.path, told]).toEqual(['/dev/ttyACM0', ['unplug']]);
    expect(await inVirtualTime((clock) => awaitReplug(clock, 60, () => {}, tree.root))).toBeNull();
  });
});

describe('the udev rule of an adapter', () => {
  const RULE =
    'SUBSYSTEM=="tty", ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="55d3", MODE="0660", GROUP="dialout", TAG+="uaccess"';

  it('is for the adapter that a bus names, in whatever way, and not for what is not behind USB', async () => {
    tree.adapter(SO101_ADAPTER);
    tree.plain('ttyS0', '4');
    const names = ['serial:?serial=58FA1234', 'serial:/dev/ttyACM0', `serial:/dev/serial/by-id/${SO101_ADAPTER.byId}`];
    for (const name of names) expect((await usbPort(name, tree.root))?.path).toBe('/dev/ttyACM0');
    for (const name of ['serial:/dev/ttyS0', 'tcp://localhost:5555', 'serial:?serial=NOPE', 'serial:/dev/pts/3'])
      expect(await usbPort(name, tree.root)).toBeNull();
    const port = (await usbPort(names[0]!, tree.root))!;
    expect(await ruleOf(port, tree.root)).toMatchObject({ text: expect.stringContaining('"1a86"'), installed: false });
    tree.file('etc/udev/rules.d/70-arm-bridge.rules', (await ruleOf(port, tree.root)).text);
    expect((await ruleOf(port, tree.root)).installed).toBe(true);
  });

  it('is put in force by three commands, by sudo for anyone but root, and the first that fails ends it', async () => {
    const rule = { text: RULE, file: '/etc/udev/rules.d/70-arm-bridge.rules', installed: false };
    expect(installation(rule, false).map(typed)).toEqual([
      `echo '${RULE}' | sudo tee -a /etc/udev/rules.d/70-arm-bridge.rules`,
      'sudo udevadm control --reload',
      'sudo udevadm trigger',
    ]);
    const ran: Command[] = [];
    const run = async (command: Command): Promise<number> => {
      ran.push(command);
      return command.args[0] === 'control' ? 1 : 0;
    };
    expect(await install(rule, run, true)).toMatchObject({ program: 'udevadm', args: ['control', '--reload'] });
    expect(ran.map(({ program, input }) => [program, input])).toEqual([
      ['tee', `${RULE}\n`],
      ['udevadm', ''],
    ]);
  });

  it('is shown to a person, who may have it installed, and is not asked about where it is there', async () => {
    tree.adapter(SO101_ADAPTER);
    const told: string[] = [];
    const ran: string[] = [];
    const offer = (yes: boolean, code = 0): Promise<void> => {
      const asker: Asker = {
        choose: () => Promise.reject(new Error('no choice is expected')),
        text: () => Promise.reject(new Error('no text is expected')),
        confirm: async (question) => {
          told.push(question);
          return yes;
        },
        tell: (_, message) => void told.push(message),
      };
      const run = async (command: Command): Promise<number> => {
        ran.push(typed(command));
        return code;
      };
      return offerRule(asker, 'serial:?serial=58FA1234', run, tree.root);
    };
    await offer(false);
    expect([told.length, ran]).toEqual([2, []]);
    expect(told[0]).toContain('ATTRS{idProduct}=="55d3"');
    expect(told[1]).toContain('tee -a /etc/udev/rules.d/70-arm-bridge.rules');
    await offer(true);
    expect([ran.length, told.at(-1)]).toEqual([3, expect.stringContaining('has it')]);
    await offer(true, 1);
    expect([ran.length, told.at(-1)]).toEqual([4, expect.stringContaining('this failed: ')]);
    tree.file(
      'etc/udev/rules.d/70-arm-bridge.rules',
      (await ruleOf((await discoverPorts(tree.root))[0]!, tree.root)).text,
    );
    told.length = 0;
    await offer(true);
    expect([told, ran.length]).toEqual([[], 4]);
  });
});
