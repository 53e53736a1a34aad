import { describe, expect, test } from 'vitest';
import { ServoHealth } from '../../../src/rt/driver/servo-health.ts';
import { familyByName } from '../../../src/servo/families.ts';
import type { FoundServo } from '../../../src/servo/start-up.ts';

const LIMIT = 70;
const FEETECH_OVERLOAD = 1 << 5;
const FEETECH_HOT = 1 << 2;

const found = { maxTemperature: LIMIT, minVoltage: 4, maxVoltage: 8, temperature: 40, voltage: 7 } as FoundServo;

/** Two servos of one joint. */
function makeHealth(family: 'feetech' | 'dynamixel' = 'feetech') {
  const warnings: string[] = [];
  const ailing: [number, string][] = [];
  const health = new ServoHealth(
    [
      { id: 3, joint: 'elbow' },
      { id: 4, joint: 'elbow' },
    ],
    familyByName(family),
    (text) => warnings.push(text),
    (...what) => ailing.push(what),
  );
  health.begin([found, found]);
  /** Readings that are believed, degC and V. */
  const measure = (degrees: number, volts = 7, index = 1): void => {
    for (let k = 0; k < 3; k++) health.measured(index, degrees, volts);
  };
  return { health, warnings, ailing, measure };
}

describe('a servo that gets hot', () => {
  test('is told from 15 K below its limit on, once, and anew after it has cooled by half as much again', () => {
    const { warnings, measure } = makeHealth();
    measure(55);
    expect(warnings).toEqual([]);
    measure(55.1);
    measure(56);
    expect(warnings).toEqual(['servo 4 (elbow) is warm: 55.1 degC of at most 70']);
    measure(48);
    measure(56);
    expect(warnings).toHaveLength(1);
    measure(47.4);
    measure(56);
    expect(warnings).toHaveLength(2);
  });

  test('is told of its heat after its supply, and of its supply after its heat', () => {
    const { warnings, measure } = makeHealth();
    measure(40, 3);
    measure(56, 3);
    measure(56, 7, 0);
    measure(56, 3, 0);
    expect(warnings).toEqual([
      'servo 4 (elbow) measures 3.0 V, its limits are 4.0 to 8.0 V',
      'servo 4 (elbow) is warm: 56 degC of at most 70',
      'servo 3 (elbow) is warm: 56 degC of at most 70',
      'servo 3 (elbow) measures 3.0 V, its limits are 4.0 to 8.0 V',
    ]);
  });

  test('has its arm lowered 6 K below its limit, once until it has cooled to 12 K below', () => {
    const { ailing, measure } = makeHealth();
    measure(64);
    expect(ailing).toEqual([]);
    measure(64.1);
    measure(65);
    expect(ailing).toEqual([[1, 'servo 4 (elbow) has 64.1 degC and switches off at 70']]);
    measure(58.1);
    measure(65);
    expect(ailing).toHaveLength(1);
    measure(58);
    measure(65);
    expect(ailing).toHaveLength(2);
  });

  test('stops its arm 3 K below its limit, until it has cooled to 6 K below', () => {
    const { health, measure } = makeHealth();
    measure(67);
    expect(health.fault).toBe('');
    measure(67.1);
    expect(health.fault).toBe('servo 4 (elbow) has 67.1 degC and switches off at 70: let it cool, then reset the arm');
    // The other one is neither the cause nor the end of it.
    measure(68, 7, 0);
    expect(health.fault).toMatch(/^servo 4/);
    measure(40, 7, 0);
    measure(64);
    expect(health.fault).toMatch(/^servo 4/);
    measure(63.9);
    expect(health.fault).toBe('');
  });

  test('gets no torque until it is 12 K below its limit', () => {
    const { health, measure } = makeHealth();
    measure(58);
    expect(health.refusal()).toBe('');
    measure(58.1);
    expect(health.refusal()).toBe('servo 4 (elbow) has 58 degC and switches off at 70: let it cool');
  });

  test('is judged by readings that agree: a single wrong one stops nobody', () => {
    const { health, ailing, warnings } = makeHealth();
    for (let k = 0; k < 10; k++) health.measured(1, k % 2 === 0 ? 120 : 40, 7);
    expect([health.fault, ailing, warnings]).toEqual(['', [], []]);
  });

  test('has its arm lowered 6 K and, where that was stopped, 3 K below its limit, and again only once it has cooled', () => {
    const { health, ailing } = makeHealth();
    for (let degrees = 40; degrees < LIMIT; degrees += 0.5) health.measured(1, degrees, 7);
    expect(ailing).toHaveLength(2);
    let cooled = LIMIT;
    for (; health.refusal() !== ''; cooled -= 0.5) health.measured(1, cooled, 7);
    expect(cooled).toBeGreaterThan(50);
    for (let degrees = cooled; degrees < LIMIT; degrees += 0.5) health.measured(1, degrees, 7);
    expect(ailing).toHaveLength(4);
  });

  test('counts as cool and unheard after its arm has been checked anew', () => {
    const { health, warnings, ailing, measure } = makeHealth();
    measure(68);
    expect(health.fault).not.toBe('');
    health.apart[1] = 1;
    health.begin([found, found]);
    expect([health.fault, health.refusal()]).toEqual(['', '']);
    // One reading is enough to be believed when it is near.
    expect([...health.temperatures, ...health.voltages, ...health.limits]).toEqual([40, 40, 7, 7, 70, 70]);
    measure(68);
    expect([warnings.length, ailing.length]).toEqual([2, 2]);
    expect(health.fault).not.toBe('');
  });
});

describe('a servo with the wrong supply', () => {
  test.each([
    [3.9, '3.9'],
    [8.1, '8.1'],
  ])('of %s V is told once and gets no torque', (volts, said) => {
    const { health, warnings, measure } = makeHealth();
    measure(40, volts);
    measure(40, volts);
    expect(warnings).toEqual([`servo 4 (elbow) measures ${said} V, its limits are 4.0 to 8.0 V`]);
    expect(health.refusal()).toBe(
      `servo 4 (elbow) measures ${said} V, but its limits are 4.0 to 8.0 V: connect the supply that its type needs`,
    );
    expect(health.fault).toBe('');
  });

  test('at its limits is fit', () => {
    const { health, warnings, measure } = makeHealth();
    measure(40, 4);
    measure(40, 8);
    expect([health.refusal(), warnings]).toEqual(['', []]);
  });
});

describe('servos of one joint', () => {
  test.each([0.09, -0.09])('that are %s rad apart get no torque: they would work against each other', (apart) => {
    const { health } = makeHealth();
    health.apart[1] = apart;
    expect(health.refusal()).toBe(
      `servo 4 (elbow) stands ${apart.toFixed(2)} rad from the other servo of elbow, against which it would work: ` +
        'correct its zero in the data of the arm, a shadow by its homing offset',
    );
    health.apart[1] = Math.sign(apart) * 0.08;
    expect(health.refusal()).toBe('');
  });

  test('are refused for all reasons together', () => {
    const { health, measure } = makeHealth();
    health.apart[1] = 0.5;
    measure(65, 9);
    expect(health.refusal().split('; ')).toHaveLength(3);
  });
});

describe('alarms', () => {
  test('are told when they are raised, and overload has the arm lowered', () => {
    const { health, warnings, ailing } = makeHealth();
    health.alarm(0, FEETECH_HOT);
    health.alarm(0, FEETECH_HOT);
    expect([warnings, ailing]).toEqual([['servo 3 (elbow): too hot'], []]);
    health.alarm(0, FEETECH_HOT | FEETECH_OVERLOAD);
    expect(warnings[1]).toMatch(/^servo 3 \(elbow\): too hot, overload: take the load off it/);
    expect(ailing).toEqual([[0, 'servo 3 (elbow) is overloaded']]);
    // One that is there already lowers nothing again; one that is gone is not told.
    health.alarm(0, FEETECH_OVERLOAD);
    health.alarm(0, 0);
    expect([warnings.length, ailing.length, health.alarms[0]]).toEqual([3, 1, 0]);
    health.alarm(0, FEETECH_OVERLOAD);
    expect(ailing).toHaveLength(2);
  });

  test('that nobody knows are told by their bits', () => {
    const { health, warnings } = makeHealth();
    health.alarm(1, 0x80);
    expect(warnings).toEqual(['servo 4 (elbow): alarm bits 128']);
  });

  test('refuse torque where servos refuse it by themselves until they are restarted, and nowhere else', () => {
    const feetech = makeHealth();
    feetech.health.alarm(0, FEETECH_OVERLOAD);
    expect(feetech.health.refusal()).toBe('');
    const dynamixel = makeHealth('dynamixel');
    dynamixel.health.alarm(0, 0x04);
    expect(dynamixel.health.refusal()).toBe(
      'servo 3 (elbow) has shut itself down (too hot): stop the arm and reset it, which restarts the servo',
    );
  });

  test('say why a servo is limp; without one its supply or its cable is to blame', () => {
    const { health } = makeHealth();
    expect(health.limpText(1)).toBe('servo 4 (elbow) has lost its torque by itself: check its supply and its cable');
    health.alarm(1, FEETECH_HOT);
    expect(health.limpText(1)).toBe('servo 4 (elbow) has shut itself down (too hot)');
  });
});
