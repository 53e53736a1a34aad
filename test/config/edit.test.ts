import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ArmEntry, swapBuses, tryWriting, withArm, writeArm } from '../../src/config/edit.ts';
import { ConfigError, DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';

const ARM = { name: 'follower', model: 'so101', variant: 'follower', bus: 'serial:?serial=58FA1234' };
const ENTRY: ArmEntry = { ...ARM, role: null };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-edit-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (text?: string): string => {
  const path = join(folder, 'my.yaml');
  if (text !== undefined) writeFileSync(path, text);
  return path;
};

describe('an arm that is written into a configuration', () => {
  it('makes a file where there is none', () => {
    expect(writeArm(file(), { ...ENTRY, variant: 'leader' })).toBe(false);
    const { arms } = loadConfig(file());
    expect(arms).toMatchObject([{ ...ARM, variant: 'leader', id: 0 }]);
    expect(readFileSync(file(), 'utf8')).toMatch(/^# Written by arm-bridge setup/);
    expect(readdirSync(folder)).toEqual(['my.yaml']);
  });

  it('changes what it says of the arm of this name, and no other key, comment or arm', () => {
    const text = `# our lab
http:
  port: 9000 # the old one is taken

arms:
  # towards the window
  - name: leader
    model: so101
    bus: sim:so101
  - name: follower # towards the door
    model: so100
    bus: sim:so100 # until it is built
    speed_scale: 0.5
pairs:
  - { leader: leader, follower: follower }
`;
    expect(writeArm(file(text), ENTRY)).toBe(true);
    const changed = text
      .replace('model: so100', 'model: so101')
      .replace('bus: sim:so100', 'bus: serial:?serial=58FA1234');
    expect(readFileSync(file(), 'utf8')).toBe(changed);
    // Once more changes nothing more.
    writeArm(file(), ENTRY);
    expect(readFileSync(file(), 'utf8')).toBe(changed);
  });

  it('does not take the place of another one of its name at another port, which is told', () => {
    writeArm(file(), ENTRY);
    const before = readFileSync(file(), 'utf8');
    expect(() => writeArm(file(), { ...ENTRY, bus: 'serial:?serial=58FA9999' })).toThrow(
      /my.yaml has an arm follower at serial:\?serial=58FA1234: give this one another name, or, where it is the same arm/,
    );
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('comes last in the list when its name is new, with an id that no other arm has', () => {
    const text = 'arms:\n  - { name: leader, id: 1, bus: "sim:so101" } # the old one\n';
    writeArm(file(text), ENTRY);
    const { arms } = loadConfig(file());
    expect(arms.map(({ name, id }) => [name, id])).toEqual([
      ['leader', 1],
      ['follower', 2],
    ]);
    expect(readFileSync(file(), 'utf8')).toContain('# the old one');
  });

  it('has ids and a pair in which the leader leads, in whatever order the two are set up', () => {
    const leader: ArmEntry = { ...ARM, name: 'held', variant: 'leader', bus: 'tcp://localhost:1', role: 'leader' };
    const follower: ArmEntry = { ...ENTRY, role: 'follower' };
    const pair = { leader: 'held', follower: 'follower' };
    for (const [first, second] of [
      [leader, follower],
      [follower, leader],
    ] as const) {
      rmSync(file(), { force: true });
      writeArm(file(), first);
      writeArm(file(), second, pair);
      const { arms, pairs } = loadConfig(file());
      expect(Object.fromEntries(arms.map(({ name, id }) => [name, id]))).toEqual({ held: 0, follower: 1 });
      expect(pairs).toMatchObject([pair]);
      expect(readFileSync(file(), 'utf8').match(/id: [01]/g)).toHaveLength(2);
    }
    // A second pair beside the first one.
    writeArm(file(), { ...follower, name: 'other', bus: 'tcp://localhost:2' });
    writeArm(
      file(),
      { ...leader, name: 'another', bus: 'tcp://localhost:3' },
      { leader: 'another', follower: 'other' },
    );
    expect(loadConfig(file()).arms.map(({ name, id }) => [name, id])).toEqual([
      ['follower', 1],
      ['held', 0],
      ['other', 3],
      ['another', 2],
    ]);
    expect(loadConfig(file()).pairs).toMatchObject([pair, { leader: 'another', follower: 'other' }]);
  });

  it('turns a pair round that is written the other way, and keeps what else it says', () => {
    const text = `arms:
  - { name: held, bus: "sim:so101" }
  - { name: follower, bus: "sim:koch", model: koch }
pairs:
  - { leader: follower, follower: held, velocity: 0.5 } # slow
`;
    const pair = { leader: 'held', follower: 'follower' };
    writeArm(file(text), { ...ENTRY, role: 'follower' }, pair);
    expect(loadConfig(file()).pairs).toMatchObject([{ ...pair, velocity: 0.5 }]);
    expect(readFileSync(file(), 'utf8')).toContain('# slow');
    writeArm(file(), { ...ENTRY, role: 'follower' }, pair);
    expect(loadConfig(file()).pairs).toHaveLength(1);
  });

  it('has the bus of another one where the two were taken for each other', () => {
    const text =
      'arms:\n  - { name: held, bus: "tcp://localhost:1" } # by the door\n  - { name: follower, bus: "tcp://localhost:2" }\n';
    swapBuses(file(text), { leader: 'held', follower: 'follower' });
    expect(loadConfig(file()).arms.map(({ bus }) => bus)).toEqual(['tcp://localhost:2', 'tcp://localhost:1']);
    expect(readFileSync(file(), 'utf8')).toContain('# by the door');
    const nobody = (): void => swapBuses(file(), { leader: 'held', follower: 'nobody' });
    expect(nobody).toThrow('arm "nobody" is not written out');
  });

  it('takes a variant back, and is put into a file without arms and into one in JSON', () => {
    writeArm(file('arms: [{ name: follower, variant: leader, bus: "sim:so101" }]'), ENTRY);
    expect(loadConfig(file()).arms[0]).toMatchObject(ARM);
    writeArm(file('log: { level: warn }\narms:\n'), ENTRY);
    expect(loadConfig(file())).toMatchObject({ log: { level: 'warn' }, arms: [ARM] });
    writeArm(file(JSON.stringify({ arms: [{ name: 'leader', bus: 'sim:so101' }] })), ENTRY);
    expect(loadConfig(file()).arms.map(({ name }) => name)).toEqual(['leader', 'follower']);
  });

  it.each([
    ['arms: [', 'is not valid YAML'],
    ['- a list', 'expected keys and values'],
    ['arms: none', '"arms" is no list'],
    ['arms: [{ name: other, bus: "serial:?serial=58FA1234" }]', 'arm "other" is at serial:?serial=58FA1234 already'],
    ['prot: 1\narms: [{ name: other, bus: "sim:so101" }]', 'prot: unknown key'],
  ])('leaves %j as it is: it could not be used', (text, message) => {
    const write = (): boolean => writeArm(file(text), ENTRY);
    expect(write).toThrow(ConfigError);
    expect(write).toThrow(message);
    expect(readFileSync(file(), 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['my.yaml']);
  });

  it('names the file and not its draft in what it says, and never changes what comes with the bridge', () => {
    expect(() => writeArm(file('log: { level: loud }'), ENTRY)).toThrow(`from ${join(folder, 'my.yaml')}`);
    expect(() => writeArm(DEFAULT_CONFIG_FILE, ENTRY)).toThrow('name a file of your own');
    expect(() => writeArm(join(folder, 'nowhere', 'my.yaml'), ENTRY)).toThrow('cannot be written (ENOENT)');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  it('keeps a comment behind an empty key, and the line ends of the file', () => {
    const text = 'arms: # none yet\r\npairs: # nor these\r\nlog: { level: warn } # quiet\r\n';
    const changed = withArm(text, ENTRY, 'my.yaml', { leader: 'leader', follower: 'follower' });
    for (const comment of ['# none yet', '# nor these', '# quiet']) expect(changed).toContain(comment);
    expect(changed.split('\n').every((line) => line === '' || line.endsWith('\r'))).toBe(true);
    expect(withArm(text.replaceAll('\r', ''), ENTRY, 'my.yaml')).not.toContain('\r');
  });

  it('is refused beforehand where the file could not be written, and the trial leaves nothing', () => {
    tryWriting(file());
    tryWriting(file('arms: []'));
    expect(readdirSync(folder)).toEqual(['my.yaml']);
    expect(readFileSync(file(), 'utf8')).toBe('arms: []');
    const nowhere = join(folder, 'nowhere', 'my.yaml');
    expect(() => tryWriting(nowhere)).toThrow(
      `cannot be written (ENOENT): let the user of this bridge write into its folder ${join(folder, 'nowhere')}; or end ` +
        `this bridge, and run arm-bridge setup --config ${nowhere} as a user who may`,
    );
    expect(() => tryWriting(DEFAULT_CONFIG_FILE)).toThrow('name a file of your own');
  });

  it('goes through a link to the file that it leads to', () => {
    const link = join(folder, 'link.yaml');
    symlinkSync(file('arms: [{ name: leader, bus: "sim:so101" }]'), link);
    writeArm(link, ENTRY);
    expect(loadConfig(file()).arms).toHaveLength(2);
  });

  it('does not touch lines that are longer than a terminal', () => {
    const long = `# ${'a long comment '.repeat(20).trim()}\n`;
    expect(withArm(`${long}arms: []\n`, ENTRY, 'my.yaml')).toContain(long);
  });
});
