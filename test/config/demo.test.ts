import { expect, test } from 'vitest';
import { requireDemo } from '../../src/config/demo.ts';
import { ConfigError, DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';
import { configSchema } from '../../src/config/schema.ts';

const ARMS = [
  { name: 'leader', bus: 'sim:so101' },
  { name: 'follower', bus: 'sim:so101' },
];
const PAIRS = [{ leader: 'leader', follower: 'follower' }];

function refusal(config: object): string {
  try {
    requireDemo(configSchema.parse(config));
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('expected the demo to be refused');
}

test('the demo runs with the simulated pair that is there without a file', () => {
  requireDemo(loadConfig(DEFAULT_CONFIG_FILE));
  requireDemo(configSchema.parse({ arms: ARMS, pairs: PAIRS, sim: { scene: 'pick' } }));
});

test.each(['serial:/dev/ttyACM0', 'tcp://127.0.0.1:5555', 'ros'])('it is refused with an arm on %s', (bus) => {
  const arms = [ARMS[0], { name: 'bench', bus }];
  const said = refusal({ arms, sim: { scene: 'pick' }, pairs: [{ leader: 'leader', follower: 'bench' }] });
  expect(said).toContain(`--demo moves simulated arms alone, but the bus of arm "bench" is ${bus}.`);
  expect(said).toMatch(/Leave out --demo, or --config/);
});

test('it is refused where there is no pair, or nothing to pick up', () => {
  expect(refusal({ arms: ARMS, sim: { scene: 'pick' } })).toContain('it needs `pairs` and `sim.scene: pick`');
  expect(refusal({ arms: ARMS, pairs: PAIRS })).toContain('it needs `pairs` and `sim.scene: pick`');
});
