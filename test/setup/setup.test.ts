import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { Arms } from '../../src/arm/arms.ts';
import { armBuilds, loadArmModel, type ReadModel } from '../../src/arm/model.ts';
import { BridgeError, type Caller } from '../../src/arm/types.ts';
import { systemClock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { discoverPorts, type PortInfo } from '../../src/servo/port/discovery.ts';
import { type PracticeHand, SetupService } from '../../src/setup/setup-service.ts';
import { FakeTree, SO101_ADAPTER } from '../servo/port/tree.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

const JOINTS = ['gripper', 'wrist_roll', 'wrist_flex', 'elbow_flex', 'shoulder_lift', 'shoulder_pan'];
type Role = 'leader' | 'follower';
/** Adapters that no machine has. */
const BUS_OF = { leader: 'serial:?serial=NONE0001', follower: 'serial:?serial=NONE0002' };
const OTHER = { 'x-arm-bridge-client': 'somebody else' };

/** Somebody who sets kits up by HTTP, with the hand that builds them. */
class Person {
  readonly bridge: VirtualBridge;

  constructor(bridge: VirtualBridge) {
    this.bridge = bridge;
  }

  async hand(arm: string, action: string, what = 'all'): Promise<void> {
    const { status, body } = await this.bridge.post('/api/v1/setup/hand', { arm, action, what });
    expect([status, body.message], `${action} ${what}`).toEqual([
      200,
      expect.stringMatching(/connected|there\.|let go/),
    ]);
  }

  /** @returns the set-up as it is afterwards */
  async next(action: string, more: object = {}) {
    const { status, body } = await this.bridge.post('/api/v1/setup/next', { action, ...more });
    expect([status, body.fault ?? body.detail], action).toEqual([200, '']);
    return body;
  }

  async begin(role: Role) {
    const { status, body } = await this.bridge.post('/api/v1/setup', {
      model: 'so101',
      role,
      name: `practice_${role}`,
    });
    expect(status).toBe(200);
    return body;
  }

  /** One arm, from servos that are all alike to the question of its pair. */
  async setUp(role: Role) {
    const name = `practice_${role}`;
    expect(await this.begin(role)).toMatchObject({ step: 'missing', practice: true, bus: 'sim:so101' });
    let session = (await this.bridge.post('/api/v1/setup/next', { action: 'singly' })).body;
    for (const joint of JOINTS) {
      expect(session.servos.find(({ due }: { due: boolean }) => due)?.joint).toBe(joint);
      await this.hand(name, 'plug', joint);
      session = await this.next('give');
      expect(session.said).toMatch(new RegExp(`^The servo for ${joint} .* V, as it should\\.$`));
    }
    expect(session.step).toBe('whole');
    await this.hand(name, 'plug');
    session = await this.next('look');
    if (session.step === 'registers') session = await this.next('set_registers');
    expect(session.step).toBe('enter');
    return session;
  }

  /** Leads an arm through its calibration. */
  async calibrate(name: string): Promise<void> {
    const { id } = this.bridge.bridge.arms.byName(name)!;
    const step = async (wanted: number | 'success'): Promise<void> => {
      const { body } = await this.bridge.post(`/calibrate?robot_id=${id}`);
      expect(wanted === 'success' ? body.calibration_status : body.current_step, body.message).toBe(wanted);
    };
    await step(1);
    await this.hand(name, 'middle');
    await step(2);
    await this.hand(name, 'ends');
    await step(3);
    await step(4);
    await this.hand(name, 'let_go');
    await step(5);
    await this.hand(name, 'middle');
    await step('success');
    await this.hand(name, 'let_go');
  }
}

test('two kits are set up by HTTP, the follower first, to a calibrated pair that follows slowly until somebody says it is right', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  const person = new Person(bridge);
  expect(await person.setUp('follower')).toMatchObject({ counterparts: [] });
  expect(await person.next('enter')).toMatchObject({
    step: 'done',
    said: expect.stringContaining('is robot 2 of this bridge'),
  });
  expect(await person.setUp('leader')).toMatchObject({ counterparts: ['practice_follower'] });
  await person.next('enter', { counterpart: 'practice_follower' });
  const state = (await bridge.get('/api/v1/setup')).body;
  expect([state.session, state.trials]).toEqual([null, [{ leader: 'practice_leader', follower: 'practice_follower' }]]);

  // Nobody knows where the joints are before a hand has shown it.
  const [leader, follower] = ['practice_leader', 'practice_follower'].map((name) => bridge.bridge.arms.byName(name)!);
  const pair = { robot_pairs: [{ leader_id: leader!.id, follower_id: follower!.id }] };
  expect(follower!.doubt).toBe('it has no calibration');
  expect((await bridge.post(`/gravity/start?robot_id=${follower!.id}`)).status).toBe(409);
  await person.calibrate('practice_follower');
  await person.calibrate('practice_leader');

  await person.hand('practice_leader', 'middle');
  expect((await bridge.post('/move/leader/start', pair)).status).toBe(200);
  const elbow = (arm: typeof leader): number =>
    arm!.read().positions[arm!.model.joints.findIndex(({ name }) => name === 'elbow_flex')]!;
  await bridge.pass(8);
  const before = elbow(follower);
  await bridge.post('/sim/hand', { robot_id: leader!.id, joints: { elbow_flex: elbow(leader) + 0.8 }, duration: 0.2 });
  await bridge.pass(0.6);
  // Its leader has gone all the way; it is kept to 0.4 rad/s.
  expect(elbow(follower) - before).toBeGreaterThan(0.02);
  expect(elbow(follower) - before).toBeLessThan(0.4);
  await bridge.pass(4);
  expect(Math.abs(elbow(follower) - elbow(leader))).toBeLessThan(0.1);
  await bridge.post('/move/leader/stop');

  const verdict = { follower: 'practice_follower', verdict: 'right' };
  expect((await bridge.post('/api/v1/setup/verdict', { ...verdict, verdict: 'swapped' })).status).toBe(400);
  expect((await bridge.post('/api/v1/setup/verdict', verdict)).status).toBe(200);
  expect((await bridge.post('/api/v1/setup/verdict', verdict)).status).toBe(400);
  expect((await bridge.get('/api/v1/setup')).body.trials).toEqual([]);
});

test('whoever sets an arm up goes on alone, says what is wrong, and lets go of it when they have gone', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  const person = new Person(bridge);
  await person.begin('leader');
  const asked = { model: 'so101', role: 'follower', name: 'practice_follower' };
  const refused = [
    bridge.ask('POST', '/api/v1/setup', asked, OTHER),
    bridge.ask('POST', '/api/v1/setup/next', { action: 'singly' }, OTHER),
    bridge.ask('POST', '/api/v1/setup/hand', { arm: 'practice_leader', action: 'plug' }, OTHER),
    bridge.ask('DELETE', '/api/v1/setup', undefined, OTHER),
  ];
  for (const { status, body } of await Promise.all(refused)) {
    expect([status, body.detail]).toEqual([409, expect.stringContaining('practice_leader is being set up by')]);
  }
  expect((await bridge.post('/api/v1/setup/next', { action: 'enter' })).status).toBe(400);

  // What is wrong at the servos is said, and the step stays.
  await bridge.post('/api/v1/setup/next', { action: 'singly' });
  const give = async () => (await bridge.post('/api/v1/setup/next', { action: 'give' })).body;
  expect(await give()).toMatchObject({ step: 'single', fault: expect.stringContaining('no feetech servo answers') });
  await person.hand('practice_leader', 'plug');
  expect(await give()).toMatchObject({ step: 'single', fault: expect.stringContaining('connect only one') });
  await person.hand('practice_leader', 'plug', 'gripper');
  expect(await give()).toMatchObject({ step: 'single', fault: '' });
  expect(await give()).toMatchObject({ given: true, fault: expect.stringContaining('somebody has given it') });

  await bridge.ask('GET', '/api/v1/setup', undefined, OTHER);
  await bridge.pass(40);
  expect((await bridge.ask('GET', '/api/v1/setup', undefined, OTHER)).body.session).toBeNull();
  // What is written stays.
  expect(await person.begin('leader')).toMatchObject({
    step: 'missing',
    fault: expect.not.stringContaining('gripper (id 6'),
  });
  expect((await bridge.ask('DELETE', '/api/v1/setup')).body.message).toBe('The set-up has ended');
  expect((await bridge.ask('DELETE', '/api/v1/setup')).body.message).toBe('No arm was being set up');
});

test('an arm is not set up under a name or on a bus that this bridge has, nor one that does not exist', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  const begin = async (more: object) =>
    (await bridge.post('/api/v1/setup', { model: 'so101', name: 'mine', ...more })).body.detail;
  expect(await begin({ name: 'leader' })).toContain('has an arm leader already');
  expect(await begin({ model: '../../etc' })).toContain('there is no arm');
  expect(await begin({ variant: 'golden' })).toContain('golden');
  expect(await begin({ name: 'no name' })).toContain('name:');
  expect(await begin({ bus: 'sim:so101' })).toContain('sim:so101');
  expect(await begin({ bus: 'nonsense' })).toContain('nonsense');
  expect((await bridge.get('/api/v1/setup')).body.session).toBeNull();
  expect(readFileSync(new URL('../../config/default.yaml', import.meta.url), 'utf8')).toContain('sim:so101');
});

test('an adapter that is plugged in is there to be set up, with the arms that come with it, until it is pulled out', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  const tree = new FakeTree();
  onTestFinished(() => tree.remove());
  const free = async () => (await bridge.get('/api/v1/setup')).body.ports;
  tree.plain('ttyS0', '4');
  bridge.host.ports = await discoverPorts(tree.root);
  expect(await free()).toEqual([]);
  tree.adapter(SO101_ADAPTER);
  bridge.host.ports = await discoverPorts(tree.root);
  expect(await free()).toEqual([
    {
      bus: 'serial:?serial=58FA1234',
      about: expect.stringContaining('serial 58FA1234'),
      adapter: 'WCH CH343',
      likely: ['so101', 'so100'],
    },
  ]);
  // One that comes with no arm is said to have servos of a family: the arms of that family may be behind it.
  const bare = { ...SO101_ADAPTER, tty: 'ttyUSB0', usb: '1-7', byId: 'bare' };
  tree.adapter({ ...bare, attributes: { ...bare.attributes, idProduct: '7523', serial: 'A1' } });
  bridge.host.ports = await discoverPorts(tree.root);
  expect((await free())[1]).toMatchObject({ adapter: 'WCH CH340', likely: ['so101', 'so100'] });
  bridge.host.ports = [];
  expect(await free()).toEqual([]);
});

test('a servo with the wrong supply is refused as it comes, and a kit is not taken for another one', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  const person = new Person(bridge);
  await person.begin('leader');
  await bridge.post('/api/v1/setup/next', { action: 'singly' });
  await person.hand('practice_leader', 'plug', 'gripper');
  await bridge.fault('practice_leader', { servos: { 6: { volts: 12.4 } } });
  const give = async () => (await bridge.post('/api/v1/setup/next', { action: 'give' })).body;
  expect(await give()).toMatchObject({
    step: 'single',
    fault: expect.stringMatching(/measures 12\.4 V, and is made for/),
  });
  await bridge.fault('practice_leader', { servos: { 6: { volts: null } } });
  expect(await give()).toMatchObject({ fault: '', said: expect.stringContaining('V, as it should') });
  // Which gear it has no register tells: the person is told which one it takes.
  expect((await bridge.get('/api/v1/setup')).body.session.servos).toContainEqual(
    expect.objectContaining({ joint: 'wrist_roll', part: 'C046, gear 1/147', due: true }),
  );
  expect((await bridge.get('/api/v1/setup')).body.session.instruction).toContain('whichever is printed on it');
  await bridge.ask('DELETE', '/api/v1/setup');
  const other = await bridge.post('/api/v1/setup', { model: 'koch', role: 'leader', name: 'practice_leader' });
  expect([other.status, other.body.detail]).toEqual([400, expect.stringContaining('is another arm')]);
});

/**
 * The set-up of a bridge that runs with a file, over arms whose servos are as they should be, on two adapters.
 * @param faults why the next arms cannot join
 */
function realSetup(file: string, faults: string[] = []) {
  const names: string[] = [];
  let kits = 0;
  let pairs = existsSync(file) ? loadConfig(file).pairs : [];
  const port = { vendorId: '1a86' } as PortInfo;
  const unused = (): never => expect.fail('it is not needed here');
  const service = new SetupService({
    clock: systemClock,
    arms: {
      byName: (name: string) => names.find((known) => known === name),
      get all() {
        return names.map((name) => ({ name }));
      },
    } as unknown as Arms,
    reader: {
      readModel: async (model, variant) => ({ model: loadArmModel(model, variant) }) as ReadModel,
      builds: async (model) => armBuilds(model),
    },
    ports: async () => [BUS_OF.leader, BUS_OF.follower].map((bus) => ({ port, bus })),
    hold: async () => () => {},
    bench: () => ({
      presence: async (servos) => servos.map(() => 'there'),
      differences: async () => [],
      assign: unused,
      restore: unused,
    }),
    kit: async () => {
      kits += 1;
      return {} as PracticeHand;
    },
    join: async ({ name }) => {
      const fault = faults.shift();
      if (fault !== undefined) throw new BridgeError('disconnected', fault);
      names.push(name);
      return { name, id: names.length } as Arm;
    },
    pairs: () => pairs,
    setPairs: (next) => {
      pairs = [...next];
    },
    file,
  });
  return { service, velocity: () => pairs[0]?.velocity, kits: () => kits };
}

test('a new pair follows slowly after a restart too, and after its ports were exchanged, until somebody says it is right', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-trial-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'my.yaml');
  const person: Caller = { owner: { key: 'person', name: 'a person' }, takeOver: false };
  const first = realSetup(file).service;
  for (const role of ['leader', 'follower'] as const) {
    const request = { bus: BUS_OF[role], model: 'so101', variant: null, role, name: role };
    expect(await first.begin(request, person)).toMatchObject({ step: 'enter', fault: '' });
    const other = role === 'follower' ? 'leader' : null;
    expect(await first.act('enter', other, person)).toMatchObject({ step: 'done', fault: '' });
  }
  const pair = { leader: 'leader', follower: 'follower' };
  const buses = (): string[] => loadConfig(file).arms.map(({ bus }) => bus);
  expect(first.trials).toMatchObject([pair]);
  expect([loadConfig(file).pairs[0]!.velocity, buses()]).toEqual([0.4, [BUS_OF.leader, BUS_OF.follower]]);

  const second = realSetup(file);
  expect([second.service.trials, second.service.made]).toMatchObject([[pair], ['leader', 'follower']]);
  second.service.swap('follower');
  expect([second.velocity(), buses()]).toEqual([0.4, [BUS_OF.follower, BUS_OF.leader]]);
  // Once, and nothing else before the bridge has the ports as they are.
  expect(() => second.service.swap('follower')).toThrow('start the bridge again');
  expect(() => second.service.confirm('follower')).toThrow('start the bridge again');

  const third = realSetup(file);
  expect([third.service.trials, third.velocity()]).toMatchObject([[pair], 0.4]);
  third.service.confirm('follower');
  expect([third.service.trials, third.velocity(), loadConfig(file).pairs[0]!.velocity]).toEqual([[], null, null]);
  expect(readFileSync(file, 'utf8')).not.toContain('velocity');
});

test('a new pair follows slowly although its second arm could not join at first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-trial-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const person: Caller = { owner: { key: 'person', name: 'a person' }, takeOver: false };
  const faults: string[] = [];
  const { service, velocity } = realSetup(join(folder, 'my.yaml'), faults);
  const begin = (role: Role) =>
    service.begin({ bus: BUS_OF[role], model: 'so101', variant: null, role, name: role }, person);
  await begin('leader');
  await service.act('enter', null, person);
  faults.push('It does not answer.');
  await begin('follower');
  // The file has the pair by now, so nobody is asked for the leader again.
  expect(await service.act('enter', 'leader', person)).toMatchObject({
    step: 'enter',
    fault: 'It does not answer.',
    counterparts: [],
  });
  expect(service.trials).toEqual([]);
  expect(await service.act('enter', null, person)).toMatchObject({ step: 'done', fault: '' });
  expect([service.trials, velocity()]).toMatchObject([[{ leader: 'leader', follower: 'follower' }], 0.4]);
});

test('kits that never become arms count as arms, so that they do not load the simulation without limit', async () => {
  const { service, kits } = realSetup(join(tmpdir(), 'arm-bridge-no-file.yaml'));
  const person: Caller = { owner: { key: 'person', name: 'a person' }, takeOver: false };
  const begin = (name: string) => service.begin({ bus: null, model: 'so101', variant: null, role: null, name }, person);
  await begin('joined');
  expect(await service.act('enter', null, person)).toMatchObject({ step: 'done', fault: '' });
  for (let i = 2; i <= 16; i++) {
    await begin(`kit_${i}`);
    await service.end(person);
  }
  await expect(begin('one_more')).rejects.toThrow(
    /^There is no room for more than 16 arms, simulated kits included: go on with kit_2, .*kit_16, or start the bridge again\.$/,
  );
  expect([service.view(), kits()]).toEqual([null, 16]);
  // A kit that was begun is still there.
  expect(await begin('kit_7')).toMatchObject({ name: 'kit_7', practice: true });
  expect(kits()).toBe(16);
});
