import { afterAll, beforeAll, expect, test } from 'vitest';
import { INTERRUPT } from '../support/typist.ts';
import { Engine } from './support/engine.ts';
import { build, VERSION } from './support/images.ts';
import { Lab } from './support/lab.ts';
import { documented, NOT_TYPED, Typist } from './support/typed.ts';

const NEWER = `${VERSION}-newer`;
const VARIABLES = { ARM_BRIDGE_TARGET: 'bookworm' };
/** As Compose calls the containers of two services. */
const [LAB, SIM] = ['arm-bridge-lab-1', 'arm-bridge-sim-1'];
const CALIBRATION = '/var/lib/arm-bridge/.local/state/arm-bridge/calibration/follower.json';

let lab: Lab;
let person: Typist;

beforeAll(async () => {
  const builder = await Engine.start(null);
  await build(builder, 'bookworm', NEWER).finally(() => builder.stop());
  lab = await Lab.start('document');
  person = new Typist(lab);
  person.set(VARIABLES);
});
afterAll(() => lab?.stop(), 60_000);

const status = async (token: string) => (await lab.machine.ask('/status', { token })).status;
const image = () => lab.engine.inspect(LAB, '.Config.Image');
const secret = async (name: string) => (await lab.machine.run('cat', [`${lab.compose.folder}/secrets/${name}`])).trim();

test('a simulated pair', async () => {
  const terminal = person.begin('docker compose --profile sim up --build');
  try {
    await lab.ready(SIM);
    expect((await lab.machine.ask('/')).status).toBe(200);
    terminal.type(INTERRUPT);
    await terminal.ended();
    expect(await lab.logs(SIM)).toMatch(/lowering the arms[\s\S]*bye/);
  } finally {
    await terminal.close();
  }
}, 180_000);

test('tokens, images, adapters, and a look at everything', async () => {
  await person.type('install -d -m 700 secrets');
  await person.type('openssl rand -hex 32 > secrets/token');
  await person.type('openssl rand -hex 32 > secrets/read_token');
  await person.type('docker compose --profile lab build');
  expect((await person.type('docker compose run --rm setup ports')).stdout).toMatch(/no serial port|\/dev\/tty/i);
  expect((await person.type('docker compose run --rm setup doctor')).stdout).toMatch(/ros .*jazzy/);
}, 120_000);

test('the laboratory, from its start to its end', async () => {
  await person.type('docker compose --profile lab up -d');
  await lab.ready(LAB);
  expect((await person.type('docker compose --profile lab ps')).stdout).toContain('(healthy)');
  expect((await person.type('docker compose --profile lab logs lab')).stdout).toMatch(/arm-bridge \d/);
  const curl = 'curl -H "Authorization: Bearer $(head -n1 secrets/token)" localhost:8020/status';
  expect(JSON.parse((await person.type(curl)).stdout).status).toBe('ok');
  await person.type('docker compose --profile lab stop');
  expect(await lab.logs(LAB)).toMatch(/lowering the arms[\s\S]*bye/);
}, 180_000);

test('a backup brings back what was lost', async () => {
  const inVolume = (command: string) =>
    lab.engine.docker([
      'run',
      '--rm',
      '-v',
      'arm-bridge_state:/var/lib/arm-bridge',
      '-v',
      'arm-bridge_config:/etc/arm-bridge',
      '--entrypoint',
      'sh',
      '--no-healthcheck',
      `arm-bridge:${VERSION}-bookworm`,
      '-c',
      command,
    ]);
  await inVolume(
    `mkdir -p $(dirname ${CALIBRATION}) && echo mine > ${CALIBRATION} && echo '# mine' >> /etc/arm-bridge/config.yaml`,
  );
  await person.type('docker compose run --rm -T setup backup - > ~/lab.tar.gz');
  await inVolume(`rm ${CALIBRATION} && sed -i /mine/d /etc/arm-bridge/config.yaml`);
  await person.type('docker compose run --rm -T setup restore --force - < ~/lab.tar.gz');
  expect(await inVolume(`cat ${CALIBRATION}; grep mine /etc/arm-bridge/config.yaml`)).toBe('mine\n# mine');
}, 120_000);

test('an update keeps what was set up and a stop that nobody has reset, and so does the way back', async () => {
  const token = await secret('token');
  const states = async (): Promise<string[]> => {
    const { body } = await lab.machine.ask('/status', { token });
    return JSON.parse(body).arms.map(({ state }: { state: string }) => state);
  };
  await person.type('docker compose --profile lab up -d');
  await lab.ready(LAB);
  expect((await lab.machine.ask('/stop', { method: 'POST', token })).status).toBe(200);
  await person.type('docker compose --profile lab stop');
  await person.type('docker compose run --rm -T setup backup - > ~/before.tar.gz');
  person.set({ ...VARIABLES, ARM_BRIDGE_VERSION: NEWER });
  await person.type('docker compose --profile lab up -d --build');
  await lab.ready(LAB);
  expect(await image()).toBe(`arm-bridge:${NEWER}-bookworm`);
  expect(await status(token)).toBe(200);
  expect(await states()).toEqual(['stopped', 'stopped']);
  expect((await lab.inside(LAB, `cat ${CALIBRATION}`)).stdout).toBe('mine\n');
  await person.type('docker compose --profile lab stop');
  expect(VERSION).toBe('0.1.0');
  await person.type('ARM_BRIDGE_VERSION=0.1.0 docker compose --profile lab up -d');
  await lab.ready(LAB);
  expect(await image()).toBe(`arm-bridge:${VERSION}-bookworm`);
  expect(await states()).toEqual(['stopped', 'stopped']);
  expect((await lab.inside(LAB, `cat ${CALIBRATION}; grep mine "$ARM_BRIDGE_CONFIG_FILE"`)).stdout).toBe(
    'mine\n# mine\n',
  );
  expect((await person.type('docker image ls arm-bridge')).stdout).toContain(`${NEWER}-bookworm`);
}, 300_000);

test('an image says what it is made of', async () => {
  const list = 'docker compose run --rm -T --entrypoint cat setup /opt/arm-bridge/build/sbom/npm.json';
  const bill = JSON.parse((await person.type(list)).stdout);
  expect(bill.bomFormat).toBe('CycloneDX');
  const names = bill.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'serialport', 'rclnodejs']));
  expect(names).not.toContain('vitest');
  const { stdout } = await lab.inside(LAB, 'cat /opt/arm-bridge/build/sbom/python.json');
  expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toContain('ros-rclpy');
}, 60_000);

test('every command of the document has been typed, but those that say why not', () => {
  expect([...person.typed, ...Object.keys(NOT_TYPED)].sort()).toEqual(documented().sort());
});
