import { afterAll, beforeAll, expect, test } from 'vitest';
import { Lab } from './support/lab.ts';
import { until } from './support/run.ts';
import { Typist } from './support/typed.ts';

const variables = { ARM_BRIDGE_TARGET: 'bookworm' };
const PORT = 'tcp://127.0.0.1:5555';

let lab: Lab;
let typist: Typist;

beforeAll(async () => {
  lab = await Lab.start('setup');
  typist = new Typist(lab);
  typist.set(variables);
  // An arm whose servos have their ids, behind a server that passes bytes on.
  const serve = await lab.compose.arguments('sim', { variables, command: ['simulate', '--tcp', '5555'] });
  await lab.engine.docker(['run', '-d', '--name', 'arm', '--no-healthcheck', ...serve]);
  await until('the arm is served', async () => ((await lab.logs('arm')).includes('is served') ? true : null));
});
afterAll(() => lab?.stop(), 60_000);

test('docker compose run --rm setup takes a person from an arm to a configuration, which the lab then drives', async () => {
  const person = typist.begin('docker compose run --rm setup');
  try {
    await person.choose("Which port is the arm's?", 'Another one, by its URL');
    await person.until('◆  URL of its bus');
    person.type('\x15');
    person.type(`${PORT}\r`);
    await person.choose('Which arm is it?', 'SO-101');
    await person.choose('Is it the leader', 'The follower');
    await person.answer('What is the arm to be called?');
    // The file that the lab reads is not asked for. It has the arm's pair, with a simulated leader.
    const [again, other] = ['◆  What next?', '◆  Set the leader up now too?'];
    // Look again; not now.
    while ((await person.until(again, other)) === again) person.type('\x1b[B\r');
    person.type('n');
    await person.until('◆  Calibrate follower now?');
    person.type('n');
    await person.until('Next: docker compose run --rm setup calibrate --config');
    expect(person.screen).not.toContain('for the first time');
    expect(await person.ended()).toBe(0);
  } finally {
    await person.close();
  }
  await lab.up('lab', 'lab');
  const { body } = await lab.machine.ask('/api/v1/arms', { token: lab.token });
  const arms: { name: string; bus: string; state: string }[] = JSON.parse(body).arms ?? JSON.parse(body);
  expect(arms.find(({ name }) => name === 'follower')).toMatchObject({ bus: PORT });
}, 240_000);

test('doctor looks at the arm that was set up, from the same container', async () => {
  await lab.engine.docker(['stop', 'lab']);
  expect((await typist.type('docker compose run --rm setup doctor')).stdout).toMatch(/arm follower/);
}, 120_000);
