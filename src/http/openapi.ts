import { z } from 'zod';
import { API_OPERATIONS } from './api-operations.ts';
import { CALIBRATION_OPERATIONS } from './calibration-operations.ts';
import { CONNECTION_OPERATIONS } from './connection-operations.ts';
import { type Dialect, PHOSPHOBOT_TOLERANCES } from './dialect.ts';
import { EXAMPLES } from './examples.ts';
import { components } from './fields.ts';
import { JOINT_OPERATIONS } from './joint-operations.ts';
import {
  answer,
  CONFLICT,
  content,
  type Json,
  MOVE_ANSWER,
  type Operation,
  type Operations,
  ROBOT_ID,
  ROBOT_ID_OR_ALL,
  reference,
  release,
  STATUS_ANSWER,
  TAKE_OVER,
  UNKNOWN_ARM,
} from './operation.ts';
import { RECORDING_OPERATIONS } from './recording-operations.ts';
import './schemas.ts';

/** Version of the interface, not of the program. */
const INTERFACE_VERSION = '0.1.0';

const OPERATIONS: Operations = {
  '/move/init': {
    post: {
      id: 'move_init',
      tag: 'control',
      summary: 'Move to the initial pose',
      description: 'The pose that it reaches is the zero of the absolute frame. It comes before /move/absolute.',
      parameters: [ROBOT_ID_OR_ALL, TAKE_OVER],
      answer: MOVE_ANSWER,
      refusals: { 400: 'The arm is unknown or disconnected.', 409: CONFLICT },
    },
  },
  '/move/absolute': {
    post: {
      id: 'move_absolute',
      tag: 'control',
      summary: 'Move to an absolute position',
      description: 'Moves the end effector in the absolute frame. /move/init comes first.',
      parameters: [ROBOT_ID, TAKE_OVER],
      body: { name: 'AbsoluteMoveRequest', required: true },
      answer: MOVE_ANSWER,
      refusals: { 400: 'The arm is unknown, disconnected, or not initialised.', 409: CONFLICT },
    },
  },
  '/move/relative': {
    post: {
      id: 'move_relative',
      tag: 'control',
      summary: 'Move relative to the present goal',
      description: 'From the present goal of the end effector, not from where it is measured. /move/init comes first.',
      parameters: [ROBOT_ID, TAKE_OVER],
      body: { name: 'RelativeMoveRequest', required: true },
      answer: MOVE_ANSWER,
      refusals: { 400: 'The arm is unknown, disconnected, or not initialised.', 409: CONFLICT },
    },
  },
  '/move/teleop': {
    post: {
      id: 'move_teleop',
      tag: 'control',
      summary: 'Lead the end effector by a hand',
      description:
        'One message of a stream: the tool moves as the hand has since the first. 0.2 s without a message and the arm ' +
        'holds; the next one begins anew from where it is. The same messages are taken by the WebSocket /move/teleop/ws.',
      parameters: [{ ...ROBOT_ID_OR_ALL, description: 'Id of the arm; left out: that of the hand.' }, TAKE_OVER],
      body: { name: 'TeleopRequest', required: true },
      answer: {
        name: 'StatusResponse',
        description: 'The arm follows, or `status: "error"` with a message that says why not, or not all the way.',
      },
      refusals: { 400: 'The arm is unknown or disconnected, or its torque is off.', 409: CONFLICT },
    },
  },
  '/teleop/settings': {
    post: {
      id: 'teleop_settings',
      tag: 'control',
      summary: 'Change how hands lead arms',
      description: 'A hand that leads an arm is taken up anew from where both are.',
      body: { name: 'TeleopSettings', required: true },
      answer: STATUS_ANSWER,
      refusals: {},
    },
  },
  '/teleop/settings/read': {
    post: {
      id: 'teleop_settings_read',
      tag: 'control',
      summary: 'Read how hands lead arms',
      answer: { name: 'TeleopSettings', description: 'As they were set last.' },
      refusals: {},
    },
  },
  '/move/hello': {
    post: {
      id: 'move_hello',
      tag: 'control',
      summary: 'Greet',
      description:
        'Moves to the pose `hello`, waves twice with the wrist and stays there. The gripper keeps what it holds.',
      parameters: [ROBOT_ID, TAKE_OVER],
      answer: MOVE_ANSWER,
      refusals: { 400: 'The arm is unknown or disconnected.', 409: CONFLICT },
    },
  },
  '/move/sleep': {
    post: {
      id: 'move_sleep',
      tag: 'control',
      summary: 'Go to sleep',
      description:
        'Lowers the arm to the pose `rest` and switches its torque off there. One that does not get down holds.',
      parameters: [ROBOT_ID, TAKE_OVER],
      answer: MOVE_ANSWER,
      refusals: { 400: 'The arm is unknown or disconnected.', 409: CONFLICT },
    },
  },
  '/end-effector/read': {
    post: {
      id: 'end_effector_read',
      tag: 'control',
      summary: 'Read the end effector',
      description: 'Measured position, orientation and opening of the end effector in the absolute frame.',
      parameters: [ROBOT_ID],
      body: { name: 'EndEffectorReadRequest', required: false },
      answer: { name: 'EndEffectorPosition', description: 'Centimetres and degrees.' },
      refusals: { 400: 'The arm is unknown, disconnected, or not initialised.' },
    },
  },
  '/move/leader/start': {
    post: {
      id: 'move_leader_start',
      tag: 'control',
      summary: 'Start leader-follower control',
      description: 'Answers when the pairs are set up; the followers then approach their leaders slowly.',
      parameters: [TAKE_OVER],
      body: { name: 'StartLeaderArmControlRequest', required: true },
      answer: STATUS_ANSWER,
      refusals: { 400: 'A pair cannot be set up, or mirrors already.', 409: 'Somebody else drives one of the arms.' },
    },
  },
  '/move/leader/stop': {
    post: {
      id: 'move_leader_stop',
      tag: 'control',
      summary: 'Stop leader-follower control',
      description: 'The followers hold where they are. Leaders that floated hold, and are lowered and released.',
      parameters: [TAKE_OVER, release('lower')],
      answer: STATUS_ANSWER,
      refusals: { 409: 'Somebody else started it.' },
    },
  },
  '/gravity/start': {
    post: {
      id: 'gravity_start',
      tag: 'control',
      summary: 'Start gravity compensation',
      description: 'The arm supports its weight, or the given share of it, and yields to the hand.',
      parameters: [ROBOT_ID, TAKE_OVER],
      body: { name: 'GravityStartRequest', required: false },
      answer: STATUS_ANSWER,
      refusals: { 400: 'The arm is unknown, disconnected, or belongs to another machine.', 409: CONFLICT },
    },
  },
  '/gravity/stop': {
    post: {
      id: 'gravity_stop',
      tag: 'control',
      summary: 'Stop gravity compensation',
      description: 'The arm holds where it is.',
      parameters: [ROBOT_ID, release('hold')],
      answer: STATUS_ANSWER,
      refusals: { 400: UNKNOWN_ARM },
    },
  },
  '/stop': {
    post: {
      id: 'stop',
      tag: 'control',
      summary: 'Stop and hold',
      description: 'Latched: the arms decelerate, hold, and refuse every motion until /stop/reset.',
      parameters: [ROBOT_ID_OR_ALL],
      answer: STATUS_ANSWER,
      refusals: { 400: UNKNOWN_ARM },
    },
  },
  '/stop/reset': {
    post: {
      id: 'stop_reset',
      tag: 'control',
      summary: 'Leave the stop',
      description: 'The arms hold and belong to nobody; nothing moves by itself.',
      parameters: [ROBOT_ID_OR_ALL],
      answer: STATUS_ANSWER,
      refusals: { 400: UNKNOWN_ARM },
    },
  },
  ...JOINT_OPERATIONS,
  ...CONNECTION_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...CALIBRATION_OPERATIONS,
  ...API_OPERATIONS,
  '/status': {
    get: {
      id: 'status',
      tag: 'status',
      summary: 'State of the bridge and its arms',
      answer: { name: 'BridgeStatus', description: 'The state at this moment.' },
      refusals: {},
    },
  },
  '/sim/hand': {
    post: {
      id: 'sim_hand',
      tag: 'simulation',
      summary: 'Lead a simulated arm by hand',
      description: 'A spring and damper of limited force in the physics. In simulation only.',
      body: { name: 'HandRequest', required: true },
      answer: STATUS_ANSWER,
      refusals: { 400: 'The arm is unknown or no simulated one.' },
    },
  },
  '/sim/truth': {
    get: {
      id: 'sim_truth',
      tag: 'simulation',
      summary: 'State of the physics of a simulated arm',
      description: 'What the arm really does, beside what its encoders say. In simulation only.',
      parameters: [ROBOT_ID],
      answer: { name: 'SimulationTruth', description: 'Radians and metres.' },
      refusals: { 400: 'The arm is unknown or no simulated one.' },
    },
  },
};

/** A body that may be left out may also be null. */
function requestBody({ name, required }: NonNullable<Operation['body']>): Json {
  if (required) return { required, ...content(name) };
  const schema = { anyOf: [reference(name), { type: 'null' }] };
  return { required, content: { 'application/json': { schema } } };
}

function pathItem(operation: Operation, token: boolean): Json {
  const { description, ...body } = operation.answer;
  const responses: Json = {
    200:
      'name' in body
        ? answer(description, body.name)
        : { description, content: { [body.media]: { schema: { type: 'string' } } } },
  };
  for (const [status, description] of Object.entries(operation.refusals)) {
    responses[status] = answer(description, 'HTTPError');
  }
  if (operation.failure !== undefined) responses[503] = answer(operation.failure, 'StatusResponse');
  if (token) responses[401] = answer('The token is missing or wrong.', 'HTTPError');
  responses[503] ??= answer(
    'The control loop or a servo does not do its part, or there are too many connections.',
    'HTTPError',
  );
  responses[403] = answer('Host or Origin is not answered.', 'HTTPError');
  if (operation.body !== undefined) responses[400] ??= answer('The body is no text or nested too deeply.', 'HTTPError');
  if (operation.body !== undefined) responses[413] = answer('The body is larger than 1 MiB.', 'HTTPError');
  if (operation.body !== undefined || operation.parameters !== undefined) {
    responses[422] = answer('The request fails validation.', 'HTTPValidationError');
  }
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(operation.parameters === undefined ? {} : { parameters: operation.parameters }),
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation.body) }),
    responses,
  };
}

/** Component schemas from the zod schemas; a component's own `$id` and `$schema` have no place in OpenAPI. */
function componentSchemas(): Json {
  const { schemas } = z.toJSONSchema(components, {
    target: 'draft-2020-12',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _id, $schema: _schema, ...schema }]) => {
      const example = EXAMPLES[id];
      return [id, { title: id, ...schema, ...(example === undefined ? {} : { examples: [example] }) }];
    }),
  );
}

/** Component schemas as the phosphobot dialect means them. */
function inPhosphobot(schemas: Json): Json {
  const swapped = (fields: Json): Json => {
    const { ry, rz } = fields as Record<'ry' | 'rz', Json>;
    return { ...fields, ry: { ...ry, description: rz.description }, rz: { ...rz, description: ry.description } };
  };
  const move = (name: string): Json => {
    const schema = schemas[name] as Json;
    const properties = swapped(schema.properties as Json);
    for (const [tolerance, fallback] of Object.entries(PHOSPHOBOT_TOLERANCES)) {
      const field = properties[tolerance] as Json;
      const description = String(field.description)
        .replace('in centimetres', 'in metres')
        .replace('in degrees', 'in radians');
      properties[tolerance] = { ...field, default: fallback, description };
    }
    const description = `${schema.description} Tolerances are metres and radians.`;
    return { ...schema, description, properties };
  };
  const position = schemas.EndEffectorPosition as Json;
  const teleop = schemas.TeleopRequest as Json;
  return {
    ...schemas,
    AbsoluteMoveRequest: move('AbsoluteMoveRequest'),
    RelativeMoveRequest: move('RelativeMoveRequest'),
    TeleopRequest: { ...teleop, properties: swapped(teleop.properties as Json) },
    EndEffectorPosition: { ...position, properties: swapped(position.properties as Json) },
  };
}

/** The interface as OpenAPI 3.1, made from the schemas that validate its requests. */
export function openApi({ token, dialect }: { readonly token: boolean; readonly dialect: Dialect }): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Arm Bridge',
      version: INTERFACE_VERSION,
      description:
        'Moves robot arms, mirrors a leader arm to its followers and reads end effectors.' +
        (dialect === 'phosphobot' ? ' In the dialect of phosphobot: see docs/http.md.' : ''),
    },
    tags: [
      { name: 'control', description: 'Motion of the arms.' },
      { name: 'status', description: 'State of the bridge.' },
      { name: 'arms', description: 'Arms by name, in SI units.' },
      { name: 'live', description: 'State as it changes.' },
      { name: 'simulation', description: 'Simulated arms only.' },
    ],
    ...(token ? { security: [{ bearer: [] }] } : {}),
    paths: Object.fromEntries(
      Object.entries(OPERATIONS).map(([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, pathItem(operation, token)])),
      ]),
    ),
    components: {
      schemas: dialect === 'phosphobot' ? inPhosphobot(componentSchemas()) : componentSchemas(),
      ...(token ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}
