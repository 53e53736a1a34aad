import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listen } from '../../src/http/app.ts';
import { openApi } from '../../src/http/openapi.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { buildApp, fakeServices } from './fakes.ts';

const PYTHON = process.env.ARM_BRIDGE_WITNESS_PYTHON ?? '';
const imports = (module: string): boolean =>
  PYTHON !== '' && spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;
const HAS_PYTHON_CLIENT = imports('openapi_python_client');
if (!HAS_PYTHON_CLIENT) console.warn('SKIPPED: openapi-python-client makes no client. npm test installs it.');
const HAS_GENERATOR = imports('openapi_generator_cli') && spawnSync('java', ['-version']).status === 0;
if (!HAS_GENERATOR) console.warn('SKIPPED: openapi-generator makes no client. npm test installs it; it needs Java.');

/** A program as a user writes it with the client that was made. */
const PROGRAM = `
import json, sys
from client.client import Client
from client.api.arms import arm_urdf, arms
from client.api.control import end_effector_read, gravity_start, move_absolute, move_leader_start, stop
from client.models import AbsoluteMoveRequest, EndEffectorReadRequest, GravityCompensationValues, HTTPError
from client.models import RobotPairRequest, StartLeaderArmControlRequest

bridge = Client(base_url=sys.argv[1])
moved = move_absolute.sync(client=bridge, body=AbsoluteMoveRequest(x=2, z=-3), robot_id=1)
read = end_effector_read.sync(client=bridge, body=EndEffectorReadRequest(sync=True), robot_id=1)
pair = RobotPairRequest(leader_id=0, follower_id=1)
values = GravityCompensationValues(shoulder=80)
request = StartLeaderArmControlRequest([pair], enable_gravity_compensation=True, gravity_compensation_values=values)
started = move_leader_start.sync(client=bridge, body=request)
floating = gravity_start.sync(client=bridge, body=None)
refused = move_absolute.sync(client=bridge, body=AbsoluteMoveRequest(), robot_id=7)
assert isinstance(refused, HTTPError)
stopped = stop.sync(client=bridge)
print(json.dumps({
    "moved": [moved.status, moved.position_error, moved.trials, moved.duration],
    "read": [read.x, read.z],
    "started": started.message,
    "floating": floating.message,
    "refused": refused.detail,
    "stopped": stopped.robots,
    "arms": [(arm.name, arm.now.state) for arm in arms.sync(client=bridge).arms],
    "urdf": arm_urdf.sync("follower", client=bridge),
}))
`;

/** The same program with the client of openapi-generator. */
const SAME_PROGRAM = `
import json, sys, warnings
warnings.simplefilter("error")
import openapi_client
from openapi_client.models import *

with openapi_client.ApiClient(openapi_client.Configuration(host=sys.argv[1])) as client:
    arms, control = openapi_client.ArmsApi(client), openapi_client.ControlApi(client)
    moved = control.move_absolute(AbsoluteMoveRequest(x=2, z=-3), robot_id=1)
    read = control.end_effector_read(robot_id=1, end_effector_read_request=EndEffectorReadRequest(sync=True))
    pair = RobotPairRequest(leader_id=0, follower_id=1)
    values = GravityCompensationValues(shoulder=80)
    started = control.move_leader_start(StartLeaderArmControlRequest(
        robot_pairs=[pair], enable_gravity_compensation=True, gravity_compensation_values=values))
    floating = control.gravity_start()
    try:
        control.move_absolute(AbsoluteMoveRequest(), robot_id=7)
    except openapi_client.ApiException as error:
        refused = error
    assert isinstance(refused.data, HTTPError), refused.data
    stopped = control.stop()
    print(json.dumps({
        "moved": [moved.status, moved.position_error, moved.trials, moved.duration],
        "read": [read.x, read.z],
        "started": started.message,
        "floating": floating.message,
        "refused": refused.data.detail,
        "stopped": stopped.robots,
        "arms": [(arm.name, arm.now.state) for arm in arms.arms().arms],
        "urdf": arms.arm_urdf("follower"),
    }))
`;

const run = promisify(execFile);
const env = { ...process.env, PATH: `${dirname(PYTHON)}${delimiter}${process.env.PATH}` };

/** Generates a client in a folder with the description of the interface, then moves arms by it. */
async function tryClient(program: string, generate: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-python-'));
  const services = fakeServices();
  for (const arm of services.arms.all) arm.initialised = true;
  const app = buildApp(services);
  try {
    const { port } = await listen(app, services.config as never, null);
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApi({ token: false, dialect: 'standard' })));
    writeFileSync(join(folder, 'program.py'), program);
    await generate(folder);
    const { stdout } = await run(PYTHON, ['program.py', `http://127.0.0.1:${port}`], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual({
      moved: ['ok', expect.closeTo(0.1, 6), 1, 0.5],
      read: [expect.closeTo(2, 6), expect.closeTo(-3, 6)],
      started: 'Leader-follower control started',
      floating: 'Gravity control started',
      refused: 'Robot ID 7 is unknown. Known ids: 0, 1.',
      stopped: [0, 1],
      arms: [
        ['leader', 'stopped'],
        ['follower', 'stopped'],
      ],
      urdf: '<robot name="so101"></robot>',
    });
    expect(services.mirror.started).toMatchObject({ gravity: { shoulder: 80, elbow: 50, wrist: 10 } });
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test.skipIf(!HAS_PYTHON_CLIENT)(
  'openapi-python-client makes a whole client without a warning, and a program moves arms by it',
  async () => {
    await tryClient(PROGRAM, async (folder) => {
      const args = ['generate', '--path', 'openapi.json', '--output-path', 'client', '--meta', 'none'];
      const module = ['-m', 'openapi_python_client', ...args, '--fail-on-warning'];
      const made = await run(PYTHON, module, { cwd: folder, env });
      expect(made.stdout + made.stderr).not.toMatch(/warning|skipp|omitted/i);
      const modules = readdirSync(join(folder, 'client', 'api'), { recursive: true, encoding: 'utf8' });
      const operations = modules.filter((name) => name.endsWith('.py') && !name.endsWith('__init__.py'));
      expect(operations).toHaveLength(ROUTES.length);
    });
  },
  300_000,
);

const GENERATE = 'from openapi_generator_cli import cli; cli()';
/** What openapi-generator warns about in every description in OpenAPI 3.1, even one with a single operation. */
const ITS_OWN_WARNINGS = /OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null/;

test.skipIf(!HAS_GENERATOR)(
  'openapi-generator makes a whole client in Python with no warning about the interface, and a program moves arms by it',
  async () => {
    await tryClient(SAME_PROGRAM, async (folder) => {
      const args = ['generate', '-i', 'openapi.json', '-g', 'python', '-o', '.'];
      const { stdout, stderr } = await run(PYTHON, ['-c', GENERATE, ...args], { cwd: folder, env });
      const lines = `${stdout}${stderr}`.split('\n');
      expect(lines.filter((line) => /\b(WARN|ERROR)\b/.test(line) && !ITS_OWN_WARNINGS.test(line))).toEqual([]);
      const api = join(folder, 'openapi_client', 'api');
      const texts = readdirSync(api).map((name) => readFileSync(join(api, name), 'utf8'));
      const operations = texts.flatMap((text) => text.match(/^ {4}def \w+_with_http_info\(/gm) ?? []);
      expect(operations).toHaveLength(ROUTES.length);
    });
  },
  300_000,
);

test.skipIf(!imports('websockets'))(
  'streams of the client go on after a break, a silence and a refusal that may not last, and say why they are refused',
  async () => {
    const path = fileURLToPath(new URL('../../clients/python/src', import.meta.url));
    const script = fileURLToPath(new URL('python_streams.py', import.meta.url));
    const { stdout } = await run(PYTHON, [script], { env: { ...env, PYTHONPATH: path } });
    const refused = [401, 'http_401', 'The token has been revoked.', 'r-1'];
    const types = ['hello', 'hello', 'hello', 'hello'];
    const alone = { no_arm: 'unknown_arm', no_token: 401, waited: true, noticed: true, slow: true };
    const unheard = expect.stringContaining('has said nothing for 2 s');
    expect(JSON.parse(stdout)).toEqual([
      { types: [...types, 'hello'], refused, ...alone, unheard },
      { types, refused },
    ]);
  },
  60_000,
);

test.skipIf(!imports('websockets'))(
  'a stop of the client is heard by its own port while the rest of the bridge answers nothing, and says what a bridge has answered',
  async () => {
    const path = fileURLToPath(new URL('../../clients/python/src', import.meta.url));
    const script = fileURLToPath(new URL('python_stop.py', import.meta.url));
    const { stdout } = await run(PYTHON, [script], { env: { ...env, PYTHONPATH: path } });
    const seen = {
      unlearned: [['main', '/api/v1/stop']],
      // Its own stop, heard late by the main port, would be newer than the reset.
      reset: [
        ['own', '/api/v1/stop'],
        ['main', '/api/v1/stop'],
        ['main', '/api/v1/stop/reset?arm=left'],
      ],
      robots: [0, 0],
      quick: true,
      learned: [
        ['main', '/api/v1/stop'],
        ['main', '/api/v1/stop?arm=left'],
        ['own', '/api/v1/stop'],
        ['own', '/api/v1/stop?arm=left'],
      ],
      stopped: [0],
      refused: ['http_401', 401],
      nobody: ['unreachable', null],
    };
    expect(JSON.parse(stdout)).toEqual([seen, seen]);
  },
  120_000,
);
