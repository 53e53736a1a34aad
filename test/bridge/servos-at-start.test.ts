import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { STS3215 } from '../../src/servo/feetech/sts3215.ts';
import { bridgeTo, IDS, type ServoOptions, VirtualRig } from '../support/rig.ts';
import type { VirtualBridge } from '../support/virtual-bridge.ts';

/** Registers below this address are kept without supply. */
const EEPROM_END = STS3215.registers.torque_enable.address;

let host: VirtualHost;
let rig: VirtualRig;
let bridge: VirtualBridge;
beforeEach(() => {
  host = new VirtualHost(null);
});

async function connect(): Promise<void> {
  bridge = await bridgeTo(host, { arm: rig });
}

async function start(options?: ServoOptions): Promise<void> {
  rig = new VirtualRig(host, 'rig', options);
  await connect();
}

const becomes = (state: string) => bridge.becomes(async () => expect((await bridge.status(0)).state).toBe(state));

async function refused(reason: RegExp): Promise<void> {
  await bridge.becomes(async () => expect((await bridge.status(0)).reason).toMatch(reason));
  expect((await bridge.status(0)).state).toBe('disconnected');
}

describe('an arm that is not as it should be', () => {
  test('a chain that is broken in the middle: all missing servos are told, and into which one the loose cable leads', async () => {
    rig = new VirtualRig(host);
    for (const id of [3, 4, 5, 6]) rig.bus.faults.dead.add(id);
    await connect();
    await refused(
      /no answer from servo 3 \(elbow_flex\), servo 4 \(wrist_flex\), servo 5 \(wrist_roll\), servo 6 \(gripper\): check the cable into servo 3 \(elbow_flex\), the first missing one/,
    );
    rig.bus.faults.dead.clear();
    await becomes('connected');
  });

  test('a servo of another model that is known is driven as what it is, with a warning', async () => {
    await start((id) => (id === 2 ? { eeprom: { model_number: 2825 } } : {}));
    expect(bridge.told('servo 2 (shoulder_lift) is a STS3250, not a STS3215')).toHaveLength(1);
    expect((await bridge.status(0)).state).toBe('connected');
  });

  test('a servo of an unknown model is refused; with a missing one it comes in one message, not one after the other', async () => {
    rig = new VirtualRig(host, 'rig', (id) => (id === 2 ? { eeprom: { model_number: 11272 } } : {}));
    rig.bus.faults.dead.add(6);
    await connect();
    await refused(
      /check the cable into servo 6 \(gripper\).*servo 2 \(shoulder_lift\) has model number 11272, not 777 \(STS3215\)/,
    );
    for (const servo of rig.servos) expect(servo.writes).toEqual([]);
  });

  test('servos that all are silent: supply, baud rate and port are named, not six cables', async () => {
    rig = new VirtualRig(host);
    for (const id of IDS) rig.bus.faults.dead.add(id);
    await connect();
    await refused(/none of the servos 1, 2, 3, 4, 5, 6 answers: check the power supply/);
  });

  test('mixed firmware is told, with who has which, and the arm can be used', async () => {
    await start((id) => (id === 5 ? { eeprom: { firmware_minor: 9 } } : {}));
    expect(bridge.told('mixed firmware')).toEqual([
      expect.stringMatching(/firmware 3\.10: servo 1, 2, 3, 4, 6; .*firmware 3\.9: servo 5/),
    ]);
    expect((await bridge.status(0)).state).toBe('connected');
    expect((await bridge.post('/move/init')).body.status).toBe('ok');
  });

  test('a 12 V supply on servos for 7.4 V: torque is refused naming servo, volts and limits; the arm is readable and limp', async () => {
    await start(() => ({ supplyVoltage: 12 }));
    const refused = await bridge.post('/move/init');
    expect(JSON.stringify(refused.body)).toContain(
      'servo 1 (shoulder_pan) measures 12.0 V, but its limits are 4.0 to 8.0 V: connect the supply that its type needs',
    );
    for (const id of IDS) expect(JSON.stringify(refused.body)).toContain(`servo ${id} (`);
    expect(bridge.told('no torque: servo 1 (shoulder_pan) measures 12.0 V')).toHaveLength(1);
    expect(await bridge.status(0)).toMatchObject({ state: 'connected', torque: false });
    for (const servo of rig.servos) expect([servo.torqueOn, servo.to('goal_position')]).toEqual([false, []]);
  });

  test('a supply of 3.5 V that the servos would brown out under is refused too', async () => {
    await start(() => ({ supplyVoltage: 3.5 }));
    expect(JSON.stringify((await bridge.post('/move/init')).body)).toContain('measures 3.5 V, but its limits are 4.0');
  });

  test('a servo that is hot already gets no torque', async () => {
    rig = new VirtualRig(host);
    rig.servo(2).shown = 67;
    await connect();
    const { body } = await bridge.post('/move/init');
    expect(JSON.stringify(body)).toContain('servo 2 (shoulder_lift) has 67 degC and switches off at 70: let it cool');
  });

  test('torque is judged when it is asked for: after cooling, or with another supply, no reconnecting is needed', async () => {
    await start();
    rig.servo(2).shown = 67;
    rig.servo(3).shownVoltage = 12;
    await bridge.becomes(async () => {
      const { servos } = await bridge.status(0);
      expect([servos[1].temperature, servos[2].voltage]).toEqual([67, 12]);
    });
    expect(JSON.stringify((await bridge.post('/move/init')).body)).toMatch(
      /servo 2 \(shoulder_lift\) has 67 degC.*servo 3 \(elbow_flex\) measures 12\.0 V/,
    );
    expect(rig.servos.map((servo) => servo.torqueOn)).toEqual(IDS.map(() => false));
    const told = bridge.told().length;
    rig.servo(2).shown = null;
    rig.servo(3).shownVoltage = null;
    await bridge.becomes(async () => expect((await bridge.post('/move/init')).body.status).toBe('ok'));
    expect(bridge.told().slice(told)).toEqual([]);
  });

  test('a servo that turns endlessly instead of holding a position is refused, with what to write', async () => {
    await start((id) => (id === 4 ? { eeprom: { operating_mode: 1 } } : {}));
    expect(await bridge.status(0)).toMatchObject({
      state: 'disconnected',
      reason: expect.stringContaining(
        'servo 4 (wrist_flex): operating_mode is 1 instead of 0: it holds no position in this mode; arm-bridge setup registers sets it',
      ),
    });
  });

  test('a port that is not there yet: the bridge starts, and connects when it is plugged in', async () => {
    rig = new VirtualRig(host);
    rig.port.unplug();
    await connect();
    expect(await bridge.status(0)).toMatchObject({
      state: 'disconnected',
      reason: expect.stringContaining('there is no'),
    });
    rig.port.plugIn();
    await becomes('connected');
  });
});

describe('what is set up in the servos', () => {
  test('the return delay of the factory is 0 while the servos have their supply, and nothing lasting is written', async () => {
    await start(() => ({ eeprom: { return_delay: 250 } }));
    for (const servo of rig.servos) {
      expect(servo.value('return_delay')).toBe(0);
      servo.powerCycle();
      expect(servo.value('return_delay')).toBe(250);
    }
  });

  test('the gripper has its own protection while it has its supply, also when the bridge is gone', async () => {
    await start();
    const gripper = rig.servo(6);
    const protection = () => [gripper.value('max_torque'), gripper.value('torque_limit')];
    expect(protection()).toEqual([500, 500]);
    expect(rig.servo(1).value('max_torque')).toBe(1000);
    await bridge.end();
    expect(protection()).toEqual([500, 500]);
    gripper.powerCycle();
    expect(protection()).toEqual([1000, 1000]);
  });

  test('the EEPROM is locked after set-up, in servos that needed a change and in those that did not', async () => {
    await start((id) => (id < 3 ? { eeprom: { return_delay: 250 } } : {}));
    expect(rig.servos.map((servo) => servo.value('lock'))).toEqual([1, 1, 1, 1, 1, 1]);
    // And it stays locked while the arm works.
    expect((await bridge.post('/move/init')).body.status).toBe('ok');
    expect(rig.servos.map((servo) => servo.value('lock'))).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('no register of the EEPROM is written when nothing differs, nor while the arm works', async () => {
    await start(() => ({ eeprom: { return_delay: 250 } }));
    rig.forgetWrites();
    bridge = await bridge.restart();
    expect((await bridge.post('/move/init')).body.status).toBe('ok');
    for (const servo of rig.servos) expect(servo.writes.filter(({ address }) => address < EEPROM_END)).toEqual([]);
  });
});

describe('an arm that is connected does not move by it', () => {
  test('one that holds keeps its torque and its goals to the step', async () => {
    rig = new VirtualRig(host);
    const held = [2100, 940, 3080, 2700, 2060, 2040];
    for (const [i, servo] of rig.servos.entries()) {
      servo.preset('goal_position', held[i]!);
      servo.preset('torque_enable', 1);
    }
    await host.time.run(host.time.now + 1);
    const before = [...rig.positions];
    await connect();
    expect(await bridge.status(0)).toMatchObject({ state: 'ready', torque: true, owner: null });
    await bridge.pass(1);
    expect(rig.goals()).toEqual(held);
    for (const servo of rig.servos) expect(servo.to('torque_enable')).toEqual([]);
    for (const [i, position] of rig.positions.entries()) expect(Math.abs(position - before[i]!)).toBeLessThan(0.003);
  });

  test('one that is limp stays limp, whatever goals its servos have from earlier', async () => {
    rig = new VirtualRig(host, 'rig', () => ({ torqueOnGoalWrite: false }));
    for (const servo of rig.servos) servo.preset('goal_position', 100);
    await connect();
    await bridge.pass(0.5);
    expect(await bridge.status(0)).toMatchObject({ state: 'connected', torque: false });
    for (const servo of rig.servos) expect([servo.torqueOn, servo.to('goal_position')]).toEqual([false, []]);
  });

  test('when its torque goes on, each goal is where the joint is, and is there before the torque', async () => {
    rig = new VirtualRig(host, 'rig', () => ({ torqueOnGoalWrite: false }));
    for (const servo of rig.servos) servo.preset('goal_position', 100);
    await connect();
    rig.forgetWrites();
    const before = rig.servos.map((servo) => servo.value('present_position'));
    expect((await bridge.post('/move/init')).body.status).toBe('ok');
    for (const [i, servo] of rig.servos.entries()) {
      const on = servo.writes.findIndex(({ address, bytes }) => address === 40 && bytes[0] === 1);
      const goals = servo.writes.slice(0, on).filter(({ address }) => address === 42);
      expect(on, `servo ${servo.id} got torque`).toBeGreaterThan(0);
      expect(goals.length, `servo ${servo.id} got a goal before torque`).toBeGreaterThan(0);
      // The present position and what the arm's weight takes of the spring, at most 0.1 rad of it.
      for (const { bytes } of goals) expect(Math.abs(bytes[0]! + 256 * bytes[1]! - before[i]!)).toBeLessThan(65);
    }
  });
});
