import { describe, expect, test } from 'vitest';
import { Contents, type Finding, restore } from '../../src/servo/audit.ts';
import type { ExpectedServo } from '../../src/servo/expected-servo.ts';
import { inspect, type StartUp, startUp } from '../../src/servo/start-up.ts';
import { Bench, type Preset } from './bench.ts';

/** The factory's, but for what every arm that is set up has. */
const READY = { return_delay: 0 };

function bench(trade: string, second: Preset = {}): Bench {
  return new Bench(trade, (id) =>
    id === 2 ? { ...second, eeprom: { ...READY, ...second.eeprom } } : { eeprom: READY },
  );
}

function brief({ servo, register, found, wanted, action, severity }: Finding): (string | number)[] {
  return [servo, register, found, wanted, action, severity];
}

/** Connects with other data for servo 2. */
function connect(rig: Bench, second: Partial<ExpectedServo> = {}): Promise<StartUp> {
  rig.client.attach();
  return rig.run(
    startUp(
      rig.client,
      rig.expected.map((servo) => (servo.id === 2 ? { ...servo, ...second } : servo)),
    ),
  );
}

describe.each([
  { trade: 'STS3215', goal: 'goal_position', torque: 'torque_enable' },
  { trade: 'XL330-M288', goal: 'goal_position', torque: 'torque_enable' },
])('a $trade', ({ trade, torque }) => {
  test('as it leaves set-up is as wanted, and connecting writes nothing that lasts', async () => {
    const rig = bench(trade);
    expect((await connect(rig)).audit).toEqual([]);
    expect(rig.lasting).toEqual([]);
  });

  test('gets no goal, no torque and no lasting write by connecting, whatever is left in it', async () => {
    const ram: Record<string, number> =
      trade === 'STS3215' ? { acceleration: 20, goal_speed: 300 } : { profile_velocity: 20 };
    const rig = bench(trade, { ram, eeprom: { min_position: 1000, max_position: 3000, return_delay: 250 } });
    await connect(rig);
    const { goalPosition, torqueEnable } = rig.model.common;
    for (const { writes } of rig.servos) {
      expect(
        writes.filter(({ address }) => address === goalPosition.address || address === torqueEnable.address),
      ).toEqual([]);
    }
    expect(rig.lasting).toEqual([]);
    expect(rig.client.eepromWrites.every((count) => count === 0)).toBe(true);
  });

  test('is told with its own position limits, which are part of what its joint can do', async () => {
    const rig = bench(trade, { eeprom: { min_position: 1000, max_position: 3000 } });
    const { servos, audit, warnings } = await connect(rig, { travel: [796, 3300] });
    expect(servos.map(({ limits }) => limits)).toEqual([
      { lowest: 0, highest: 4095 },
      { lowest: 1000, highest: 3000 },
      { lowest: 0, highest: 4095 },
    ]);
    expect(audit.map(brief)).toEqual([
      [2, 'min_position', 1000, 0, 'told', 'warning'],
      [2, 'max_position', 3000, 4095, 'told', 'warning'],
    ]);
    // The control loop tells them, in terms of the joint.
    expect(warnings).toEqual([]);
    expect(audit[0]!.text).toBe(
      'servo 2 (shoulder_lift): min_position is 1000 instead of 0: it takes no goals but those from 1000 to 3000, and its ' +
        'joint could travel further; arm-bridge setup registers sets it',
    );
  });

  test('is left in peace about limits that hold the travel of its joint, or nearly so', async () => {
    const rig = bench(trade, { eeprom: { min_position: 820, max_position: 3280 } });
    expect((await connect(rig, { travel: [850, 3200] })).audit).toEqual([]);
    const { audit, warnings } = await connect(rig, { travel: [796, 3300] });
    expect(audit.map(({ severity }) => severity)).toEqual(['note', 'note']);
    expect(warnings).toEqual([]);
  });

  test('without a position gain, or in a mode that holds nothing, keeps its arm from being driven', async () => {
    const gain =
      trade === 'STS3215' ? { eeprom: { p_coefficient: 0 } } : { ram: { torque_enable: 1, position_p_gain: 0 } };
    await expect(connect(bench(trade, gain))).rejects.toThrow(
      /servo 2 \(shoulder_lift\): p\w+ is 0 .*would hold nothing/,
    );
    await expect(connect(bench(trade, { eeprom: { operating_mode: 1 } }))).rejects.toThrow(
      /operating_mode is 1 instead of [03]: it holds no position in this mode; arm-bridge setup registers sets it/,
    );
  });

  test('is set up by a person: all that differs lasts, is counted, and is found as wanted afterwards', async () => {
    const eeprom = { min_position: 1000, max_position: 3000, return_delay: 250 };
    const rig = bench(trade, { eeprom });
    const servo = { expected: rig.expected[1]!, model: rig.model, contents: new Contents(rig.model) };
    rig.client.attach();
    await rig.run(servo.contents.read(rig.client, 2));
    const changes = await rig.run(restore(rig.client, servo));
    expect(changes.map(({ register }) => register).sort()).toEqual(['max_position', 'min_position', 'return_delay']);
    expect(rig.client.eepromWrites[2]).toBe(3);
    rig.servos[1]!.powerCycle();
    expect((await connect(rig)).audit).toEqual([]);
    rig.preset(rig.servos[1]!, torque, 1);
    expect(rig.servos[1]!.torqueOn).toBe(true);
  });

  test('is only looked at by the doctor: findings say what connecting would set, and nothing is written', async () => {
    const ram: Record<string, number> =
      trade === 'STS3215' ? { lock: 1, acceleration: 20 } : { profile_velocity: 9, profile_acceleration: 3 };
    const rig = bench(trade, { ram });
    rig.client.attach();
    const { audit } = await rig.run(inspect(rig.client, rig.expected));
    expect(audit.map(({ action }) => action)).toEqual(audit.map(() => 'set'));
    expect(audit.length).toBeGreaterThan(0);
    expect(rig.servos.flatMap(({ writes }) => writes)).toEqual([]);
  });

  test('that acknowledges no write is made to, and set', async () => {
    const mute =
      trade === 'STS3215'
        ? { eeprom: { response_level: 0 }, ram: { acceleration: 20 } }
        : { ram: { status_return_level: 1, profile_velocity: 20 } };
    const rig = bench(trade, mute);
    const { audit } = await connect(rig);
    expect(audit.map(({ action }) => action)).toEqual(['set', 'set']);
    expect((await connect(rig)).audit).toEqual([]);
    expect(rig.lasting).toEqual([]);
  });
});

describe('what other programs leave in a Feetech servo', () => {
  test('speed, acceleration, goal time and torque limit are set while it is limp', async () => {
    const rig = bench('STS3215', { ram: { goal_speed: 300, acceleration: 20, goal_time: 500, torque_limit: 200 } });
    const { audit, warnings } = await connect(rig);
    expect(audit.map(brief).sort()).toEqual([
      [2, 'acceleration', 20, 0, 'set', 'note'],
      [2, 'goal_speed', 300, 0, 'set', 'note'],
      [2, 'goal_time', 500, 0, 'set', 'note'],
      [2, 'torque_limit', 200, 1000, 'set', 'note'],
    ]);
    expect(warnings).toEqual([]);
    expect(['goal_speed', 'acceleration', 'goal_time'].map((name) => rig.values(name)[1])).toEqual([0, 0, 0]);
    expect(rig.values('torque_limit')).toEqual([1000, 1000, 1000]);
  });

  test('they are told and left in one that holds: it would press on, or go on quicker', async () => {
    const at = 1630;
    const ram = { goal_speed: 300, acceleration: 20, goal_time: 500, torque_limit: 200 };
    for (const goal_position of [at, at + 50, at + 900]) {
      const rig = bench('STS3215', { ram: { ...ram, goal_position, torque_enable: 1 } });
      expect(rig.values('present_position')[1]).toBe(at);
      const { audit, warnings } = await connect(rig);
      expect(audit.map(({ register, action, severity }) => [register, action, severity]).sort()).toEqual(
        Object.keys(ram)
          .sort()
          .map((register) => [register, 'told', 'warning']),
      );
      for (const text of warnings) {
        expect(text).toContain(
          text.includes('torque_limit')
            ? 'left so while it holds, and set when its joint is asked to move, or when the limp arm next gets torque'
            : 'left so while it holds, and set when the limp arm next gets torque',
        );
      }
      expect(Object.keys(ram).map((name) => rig.values(name)[1])).toEqual(Object.values(ram));
    }
  });

  test('a torque limit of its EEPROM is not raised in passing: it is told, and holds', async () => {
    const rig = bench('STS3215', { eeprom: { max_torque: 300 }, ram: { torque_limit: 100 } });
    const { audit } = await connect(rig);
    expect(audit.map(brief)).toEqual([
      [2, 'max_torque', 300, 1000, 'told', 'warning'],
      [2, 'torque_limit', 100, 300, 'set', 'note'],
    ]);
    expect([rig.values('max_torque')[1], rig.values('torque_limit')[1]]).toEqual([300, 300]);
  });

  test('what the data of the arm want of its EEPROM is set with the lock closed, and gone with the supply', async () => {
    const rig = bench('STS3215', { eeprom: { return_delay: 250 } });
    const settings = { max_torque: 500, torque_limit: 500, protection_current: 250, overload_torque: 25 };
    const { audit } = await connect(rig, { settings });
    expect(audit.every(({ action }) => action === 'set')).toBe(true);
    const names = ['return_delay', ...Object.keys(settings)];
    const contents = (): number[] => names.map((name) => rig.values(name)[1]!);
    expect(contents()).toEqual([0, 500, 500, 250, 25]);
    expect(rig.values('lock')).toEqual([1, 1, 1]);
    expect(rig.lasting).toEqual([]);
    rig.servos[1]!.powerCycle();
    expect(contents()).toEqual([250, 1000, 1000, 500, 80]);
  });

  test.each([
    [12 + 16, 12, 'warning', 'counts turns'],
    [12 + 1, 12, 'fault', 'run away'],
    [12 + 128, 12, 'fault', 'run away'],
    [4, 12, 'fault', 'would not move'],
    [8, 12, 'warning', 'another unit'],
    [12 + 16 + 2 + 32, 12 + 2 + 32, 'warning', 'counts turns'],
  ])('a phase of %i is told, with what it does to the arm', async (phase, wanted, severity, what) => {
    const rig = bench('STS3215', { eeprom: { phase } });
    rig.client.attach();
    const { audit, warnings, faults } = await rig.run(inspect(rig.client, rig.expected));
    expect(audit.map(brief)).toEqual([[2, 'phase', phase, wanted, 'told', severity]]);
    expect((severity === 'fault' ? faults : warnings)[0]).toContain(what);
  });

  test('a servo that is reversed as a whole is left so: calibrating finds which way it counts', async () => {
    expect((await connect(bench('STS3215', { eeprom: { phase: 12 + 129 } }))).audit).toEqual([]);
  });

  test('gains are told, a gain that winds up is taken away', async () => {
    const rig = bench('STS3215', { eeprom: { p_coefficient: 16, d_coefficient: 16, i_coefficient: 8 } });
    const { audit, warnings, servos } = await connect(rig);
    expect(audit.map(brief)).toEqual([
      [2, 'p_coefficient', 16, 32, 'told', 'note'],
      [2, 'i_coefficient', 8, 0, 'set', 'note'],
      [2, 'd_coefficient', 16, 32, 'told', 'note'],
    ]);
    expect(warnings).toEqual([]);
    expect(servos.map(({ positionGain }) => positionGain)).toEqual([32, 16, 32]);
  });

  test('both limits 0 mean none', async () => {
    const rig = bench('STS3215', { eeprom: { min_position: 0, max_position: 0 } });
    const { audit, servos } = await connect(rig, { travel: [796, 3300] });
    expect([audit, servos[1]!.limits]).toEqual([[], null]);
  });
});

describe('what other programs leave in a Dynamixel servo', () => {
  test('profile, gains and output are set while it is limp', async () => {
    const ram = {
      profile_velocity: 20,
      profile_acceleration: 5,
      goal_pwm: 300,
      position_i_gain: 50,
      feedforward_1st_gain: 9,
    };
    const rig = bench('XL330-M288', { ram });
    const { audit, warnings } = await connect(rig);
    expect(audit.map(({ register }) => register).sort()).toEqual(Object.keys(ram).sort());
    expect(audit.every(({ action }) => action === 'set')).toBe(true);
    expect(warnings).toEqual([]);
    expect(Object.keys(ram).map((name) => rig.values(name)[1])).toEqual([0, 0, 885, 0, 0]);
  });

  test('a watchdog that has run out is cleared before anything else is set: it would be refused', async () => {
    const rig = bench('XL330-M288', { ram: { goal_pwm: 300, torque_enable: 1, bus_watchdog: 1 } });
    rig.servos[1]!.step(0.1, 2.5, 0);
    rig.preset(rig.servos[1]!, 'torque_enable', 0);
    expect(rig.values('bus_watchdog')[1]).toBe(-1);
    const { audit } = await connect(rig);
    expect(audit.map(brief)).toEqual([
      [2, 'bus_watchdog', -1, 0, 'set', 'note'],
      [2, 'goal_pwm', 300, 885, 'set', 'note'],
    ]);
  });

  test('its EEPROM is told and kept, and what the RAM can do for it is done: current and output', async () => {
    const rig = bench('XL330-M288', { eeprom: { operating_mode: 5, return_delay: 250 } });
    const { audit, servos } = await connect(rig, {
      settings: { operating_mode: 5, current_limit: 735, pwm_limit: 442 },
    });
    expect(audit.map(brief).sort()).toEqual([
      [2, 'current_limit', 1750, 735, 'told', 'note'],
      [2, 'goal_current', 1750, 735, 'set', 'note'],
      [2, 'goal_pwm', 885, 442, 'set', 'note'],
      [2, 'pwm_limit', 885, 442, 'told', 'note'],
      [2, 'return_delay', 250, 0, 'told', 'note'],
    ]);
    expect(servos[1]!.effortLimit).toMatchObject({ counts: 735, floating: true });
    expect(rig.lasting).toEqual([]);
  });

  test.each([
    ['drive_mode', 1, /would move the other way/],
    ['drive_mode', 8, /a goal would switch its torque on/],
    ['secondary_id', 5, /obeys goals that are meant for the servo with that id/],
  ])('%s %i keeps the arm from being driven', async (register, value, what) => {
    await expect(connect(bench('XL330-M288', { eeprom: { [register]: value } }))).rejects.toThrow(what);
  });

  test('a mode that keeps to no current is a warning where the data of the arm want one', async () => {
    const { warnings } = await connect(bench('XL330-M288'), { settings: { operating_mode: 5 } });
    expect(warnings).toEqual([
      expect.stringContaining('operating_mode is 3 instead of 5: it keeps to no largest current'),
    ]);
  });

  test('limits do not hold in modes that count turns', async () => {
    const rig = bench('XL330-M288', { eeprom: { operating_mode: 4, min_position: 1000, max_position: 3000 } });
    const { audit, servos } = await connect(rig, { travel: [796, 3300] });
    expect([audit, servos[1]!.limits]).toEqual([[], null]);
  });

  test('profile, output and current of one that holds are told and left: it would press on, or go on quicker', async () => {
    const ram = { profile_velocity: 20, profile_acceleration: 5, goal_pwm: 300, goal_current: 200, torque_enable: 1 };
    const rig = bench('XL330-M288', { eeprom: { operating_mode: 5 }, ram });
    const { audit, warnings } = await connect(rig, { settings: { operating_mode: 5 } });
    const left = ['goal_current', 'goal_pwm', 'profile_acceleration', 'profile_velocity'];
    expect(audit.map(({ register, action }) => [register, action]).sort()).toEqual(left.map((name) => [name, 'told']));
    expect(warnings).toHaveLength(left.length);
    expect(Object.keys(ram).map((name) => rig.values(name)[1])).toEqual(Object.values(ram));
  });

  test('gains of one that holds are told and left: a jump of the gain is a jump of the arm', async () => {
    const rig = bench('XL330-M288', { ram: { torque_enable: 1, position_p_gain: 200 } });
    const { audit } = await connect(rig);
    expect(audit.map(brief)).toEqual([[2, 'position_p_gain', 200, 400, 'told', 'note']]);
    expect(rig.values('position_p_gain')[1]).toBe(200);
  });
});
