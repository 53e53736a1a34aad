import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { environmentOf, essential, installedFiles, isHidden } from '../../src/cli/install.ts';
import { ADAPTERS } from '../../src/servo/port/adapters.ts';
import { bashBlocks, commands, ROOT } from '../docs/support/blocks.ts';
import { NOT_TYPED } from '../lab/support/typed.ts';

const DOCUMENT = 'docs/deployment.md';
const HOME = '/opt/arm-bridge';
const UNIT = readFileSync(join(ROOT, 'config/arm-bridge.service'), 'utf8');
const compose = parse(readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8'), { merge: true });

/** What a compose file or a document says of a file below /opt/arm-bridge must be there. */
function expectFilesOf(text: string): void {
  const names = [...text.matchAll(/\/opt\/arm-bridge\/((?:docker|config|docs)\/[\w.-]+)/g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(existsSync(join(ROOT, name)), name).toBe(true);
}

describe('the document of deployment', () => {
  const lines = bashBlocks(DOCUMENT).flatMap((block) => {
    // Nothing of it can run here: it needs a container engine, or changes the machine.
    expect(block.kind).toBe('machine');
    return commands(block);
  });
  const text = readFileSync(join(ROOT, DOCUMENT), 'utf8');

  test('names profiles, services and files that there are', () => {
    const services = Object.values(compose.services) as { profiles: string[] }[];
    const known = services.flatMap(({ profiles }) => profiles);
    for (const line of lines.filter((command) => / ?docker compose/.test(command))) {
      const profiles = [...line.matchAll(/--profile (\S+)/g)].map((match) => match[1]);
      for (const profile of profiles) expect(known, line).toContain(profile);
      const service = / (?:exec|logs) (\S+)/.exec(line)?.[1];
      if (service !== undefined) expect(compose.services[service].profiles, line).toEqual(profiles);
      // What is run by its name needs no profile.
      const run = / run (?:--entrypoint \S+ |-\S+ )+(\S+)/.exec(line)?.[1];
      if (run !== undefined) expect(compose.services, line).toHaveProperty(run);
      else expect(profiles.length, line).toBeGreaterThan(0);
    }
    expectFilesOf(text);
  });

  test('has no command that npm run test:lab does not type, or says why it does not', () => {
    const source = readFileSync(join(ROOT, 'test/lab/document.lab.ts'), 'utf8');
    const typed = (line: string) =>
      ['type', 'begin'].some((verb) => source.includes(`${verb}('${line}')`)) || source.includes(`'${line}';`);
    expect(lines.filter((line) => !typed(line) && NOT_TYPED[line] === undefined)).toEqual([]);
    expect(Object.keys(NOT_TYPED).filter((line) => !lines.includes(line))).toEqual([]);
  });

  test('lists every variable of the compose file with its default', () => {
    const source = readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8');
    const used = new Map([...source.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map((match) => [match[1]!, match[2]!]));
    const listed = [...text.matchAll(/^\| `([A-Z_]+)` \| `([^`]*)` \|/gm)].map((match) => [match[1]!, match[2]!]);
    expect(new Map(listed as [string, string][])).toEqual(used);
  });

  test('explains every setting of the compose file that guards something', () => {
    const { lab } = compose.services;
    const guards = ['network_mode', 'ipc', 'device_cgroup_rules', 'group_add', 'read_only', 'cap_drop'];
    for (const name of [...guards, 'stop_grace_period', 'restart', 'secrets']) {
      expect(lab[name], name).toBeDefined();
      expect(text, name).toMatch(new RegExp(`^\\| .*\`${name}`, 'm'));
    }
  });
});

describe('the unit of systemd', () => {
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(UNIT)?.[1];
  const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version']).status === 0;
  if (!HAS_SYSTEMD) console.warn('SKIPPED: systemd-analyze does not judge the unit, it is not installed.');

  test.skipIf(!HAS_SYSTEMD)('is one by the word of systemd itself', () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-unit-'));
    try {
      // The program is not installed on this machine; its place is taken by one that is.
      const unit = join(folder, 'arm-bridge.service');
      writeFileSync(unit, UNIT.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
        encoding: 'utf8',
      });
      expect([status, stdout + stderr]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.skipIf(!HAS_SYSTEMD)('is exposed at most 2.0 by the word of systemd, as it is written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-unit-'));
    try {
      const unit = join(folder, 'arm-bridge.service');
      writeFileSync(unit, UNIT.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
      const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], {
        encoding: 'utf8',
      });
      expect(status, stdout).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('leaves the bridge the time and the permission that it needs, and no more', () => {
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(35);
    expect(value('KillMode')).toBe('mixed');
    expect(value('User')).toBe('arm-bridge');
    expect(value('CapabilityBoundingSet')).toBe('');
    expect(value('ExecStart')).toMatch(new RegExp(`^${HOME}/docker/arm-bridge --config `));
    expectFilesOf(UNIT);
  });

  test('waits for the drivers whose devices it may open, without which systemd knows no such devices', () => {
    const drivers: Readonly<Record<string, string>> = { ttyUSB: 'usbserial', ttyACM: 'cdc_acm' };
    const opened = [...UNIT.matchAll(/^DeviceAllow=char-(\w+) /gm)].map(([, name]) => drivers[name!]);
    expect(opened).toHaveLength(2);
    for (const key of ['Wants', 'After']) {
      const named = [...UNIT.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].flatMap(([, names]) => names!.split(' '));
      expect(named).toEqual(expect.arrayContaining(opened.map((driver) => `modprobe@${driver}.service`)));
    }
  });

  test('hides home folders, in which no checkout is installed', () => {
    expect(value('ProtectHome')).toBe('yes');
    expect(
      ['/home/lab/arm-bridge', '/root/arm-bridge', '/opt/arm-bridge', '/srv/home/arm-bridge'].map(isHidden),
    ).toEqual([true, true, false, false]);
  });

  test('gives the tokens to the bridge alone', () => {
    for (const credential of ['token', 'read_token']) {
      expect(UNIT).toContain(`LoadCredential=${credential}:/etc/arm-bridge/${credential}\n`);
      expect(UNIT).toContain(`ARM_BRIDGE_HTTP_${credential.toUpperCase()}_FILE=%t/credentials/%n/${credential}\n`);
    }
  });

  test('allows a real-time priority only with its drop-in, and that allows all that is needed', () => {
    const dropIn = readFileSync(join(ROOT, 'config/arm-bridge-realtime.conf'), 'utf8');
    expect(UNIT).not.toContain('LimitRTPRIO');
    const limit = /^LimitRTPRIO=(\d+)$/m.exec(dropIn)![1];
    expect(dropIn).toContain(`ARM_BRIDGE_CONTROL_PRIORITY=${limit}`);
    expect([value('RestrictRealtime'), dropIn]).toEqual(['yes', expect.stringContaining('RestrictRealtime=no')]);
  });
});

describe('the programs of the service', () => {
  /** Runs one of docker/ in a checkout of its own, with other programs in place of those of this machine. */
  function run(program: string, programs: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv) {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-programs-'));
    try {
      for (const name of ['docker', 'build', 'bin']) mkdirSync(join(folder, name));
      for (const name of ['arm-bridge', 'build.sh', 'with-ros.sh']) {
        cpSync(join(ROOT, 'docker', name), join(folder, 'docker', name));
      }
      writeFileSync(join(folder, 'build/environment.sh'), '');
      for (const [name, text] of Object.entries(programs)) {
        writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      }
      const path = `${join(folder, 'bin')}:${process.env.PATH}`;
      return spawnSync(join(folder, 'docker', program), { encoding: 'utf8', env: { ...env, PATH: path } });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('look for the files of the service when root runs them, and for those of another user in their home', () => {
    const homeFor = (id: number, getent: string): string =>
      run('arm-bridge', { id: `echo ${id}`, getent, node: 'echo "$HOME"' }, { HOME: '/home/own' }).stdout.trim();
    const there = 'echo arm-bridge:x:998:998::/var/lib/arm-bridge:/usr/sbin/nologin';
    expect(homeFor(0, there)).toBe('/var/lib/arm-bridge');
    expect(homeFor(0, 'exit 2')).toBe('/home/own');
    expect(homeFor(1000, there)).toBe('/home/own');
  });

  test('put no ROS 2 into a home folder, which the service may not read', () => {
    const build = (env: NodeJS.ProcessEnv) =>
      run(
        'build.sh',
        { id: 'echo 0', node: 'echo preparing >&2; exit 3' },
        { HOME: '/root', ROS_DISTRO: 'none', ...env },
      );
    const refused = build({});
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('sudo env XDG_CACHE_HOME=/opt/cache'),
    ]);
    expect(build({ XDG_CACHE_HOME: '/home/lab/.cache' }).status).toBe(1);
    for (const env of [{ XDG_CACHE_HOME: '/opt/cache' }, { ARM_BRIDGE_ROS_ENABLED: 'false' }]) {
      expect(build(env)).toMatchObject({ status: 3, stderr: 'preparing\n' });
    }
  });
});

describe('what arm-bridge install proves', () => {
  test('reads the settings of the service as systemd does', () => {
    const text = [
      '# a comment, NAME=no',
      '  ; COMMENTED=no',
      'ROS_DOMAIN_ID=7',
      ' DOUBLE = "two words"  ',
      'SINGLE=\'as "it" \\is\'',
      'ESCAPED="a \\"quoted\\" \\$word, \\n stays"',
      'JOINED="one" two\\ three',
      'CONTINUED=first,\\',
      'second',
      'MIDDLE=a"b"c',
      "LINES='one",
      "OTHER=two'",
      'EMPTY=',
      'no assignment',
    ].join('\n');
    expect(environmentOf(text)).toEqual([
      'ROS_DOMAIN_ID=7',
      'DOUBLE=two words',
      'SINGLE=as "it" \\is',
      'ESCAPED=a "quoted" $word, \\n stays',
      'JOINED=onetwo three',
      'CONTINUED=first,second',
      'MIDDLE=a"b"c',
      'LINES=one\nOTHER=two',
      'EMPTY=',
    ]);
  });

  test('keeps back a service that would not run, and no other', () => {
    const found = (subject: string, level: 'fault' | 'note') => ({ subject, level, text: '', advice: null });
    const harmless = [found('arm follower', 'fault'), found('ros', 'note'), found('port /dev/ttyACM0', 'fault')];
    expect(essential(harmless)).toEqual([]);
    const faults = ['configuration', 'ros'].map((subject) => found(subject, 'fault'));
    expect(essential([...harmless, ...faults])).toEqual(faults);
  });
});

describe('what arm-bridge install writes', () => {
  const place = {
    home: ROOT.replace(/\/$/, ''),
    config: 'arms: []\n',
    serialGroup: 'uucp',
    realtime: false,
    rules: [],
  };
  const named = (files: ReturnType<typeof installedFiles>, end: string) =>
    files.find(({ path }) => path.endsWith(end))!;

  test('names the place and the group of this machine', () => {
    const unit = named(installedFiles(place), '.service').text;
    expect(unit).toContain(`ExecStart=${place.home}/docker/arm-bridge `);
    expect(unit).not.toContain(HOME);
    expect(unit).toContain('SupplementaryGroups=uucp\n');
    const rules = named(installedFiles(place), '.rules').text;
    expect(rules).toContain('GROUP="uucp"');
    expect(rules).not.toContain('dialout"');
  });

  test('keeps rules that are there already, and none of its own twice', () => {
    const mine = 'SUBSYSTEM=="tty", ATTRS{idVendor}=="1234", MODE="0660"';
    const first = named(installedFiles({ ...place, rules: [mine] }), '.rules').text;
    expect(named(installedFiles({ ...place, rules: first.split('\n') }), '.rules').text).toBe(first);
    expect(first.split('\n').filter((line) => line === mine)).toHaveLength(1);
  });

  test('makes tokens that nobody else may read, and leaves those and the configuration that are there', () => {
    const files = installedFiles(place);
    const [token, readToken] = [named(files, '/token'), named(files, '/read_token')];
    expect(token.text).toMatch(/^[0-9a-f]{64}\n$/);
    expect(token.text).not.toBe(readToken.text);
    for (const { mode, kept } of [token, readToken]) expect([mode, kept]).toEqual([0o600, true]);
    expect(named(files, 'config.yaml')).toMatchObject({ text: place.config, kept: true });
  });

  test('has a rule for every adapter that the bridge knows', () => {
    const rules = readFileSync(join(ROOT, 'config/70-arm-bridge.rules'), 'utf8');
    for (const { vendorId, productId } of ADAPTERS) {
      const product = productId === null ? '' : `, ATTRS{idProduct}=="${productId}"`;
      expect(rules).toContain(
        `ATTRS{idVendor}=="${vendorId}"${product}, MODE="0660", GROUP="dialout", TAG+="uaccess"\n`,
      );
    }
  });
});
