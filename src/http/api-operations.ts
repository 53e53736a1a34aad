import './api-schemas.ts';
import {
  CONFLICT,
  type Json,
  type Operation,
  type Operations,
  ROBOT_ID_OR_ALL,
  STATUS_ANSWER,
  TAKE_OVER,
  UNKNOWN_ARM,
} from './operation.ts';

const ARM_NAME: Json = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Name of the arm, as in the configuration.',
  schema: { type: 'string' },
};
const NO_ARM = 'There is no arm of this name.';
const NOT_THERE = 'The arm is disconnected.';

const query = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});
const get = (operation: Operation) => ({ get: operation });
const post = (operation: Operation) => ({ post: operation });

/** Operations of our own, below /api/v1, in SI units. */
export const API_OPERATIONS: Operations = {
  '/healthz': get({
    id: 'healthz',
    tag: 'status',
    summary: 'Whether the bridge works',
    description: 'Needs no token.',
    answer: { name: 'StatusResponse', description: 'The control loop runs.' },
    refusals: {},
    failure: 'The control loop does not run.',
  }),
  '/readyz': get({
    id: 'readyz',
    tag: 'status',
    summary: 'Whether all arms are connected',
    description: 'Needs no token.',
    answer: { name: 'StatusResponse', description: 'All arms are connected.' },
    refusals: {},
    failure: 'Some arm is disconnected.',
  }),
  '/metrics': get({
    id: 'metrics',
    tag: 'status',
    summary: 'Figures for Prometheus',
    answer: { media: 'text/plain', description: 'Text format 0.0.4.' },
    refusals: {},
  }),
  '/api/v1/arms': get({
    id: 'arms',
    tag: 'arms',
    summary: 'List the arms',
    description: 'What they are and how they are at this moment.',
    answer: { name: 'ArmList', description: 'Metres, radians, seconds, Nm.' },
    refusals: {},
  }),
  '/api/v1/arms/{name}/urdf': get({
    id: 'arm_urdf',
    tag: 'arms',
    summary: 'URDF of an arm',
    parameters: [ARM_NAME],
    answer: { media: 'application/xml', description: 'The model as it is in the folder of the arm.' },
    refusals: { 404: NO_ARM },
  }),
  '/api/v1/arms/{name}/motion': {
    get: {
      id: 'arm_motion',
      tag: 'arms',
      summary: 'What drives an arm',
      parameters: [ARM_NAME],
      answer: { name: 'MotionState', description: 'At this moment.' },
      refusals: { 404: NO_ARM },
    },
    delete: {
      id: 'arm_motion_cancel',
      tag: 'arms',
      summary: 'End what drives an arm',
      description: 'The arm decelerates and holds. It is not stopped: the next motion may begin at once.',
      parameters: [ARM_NAME, TAKE_OVER],
      answer: STATUS_ANSWER,
      refusals: { 400: NOT_THERE, 404: NO_ARM, 409: CONFLICT },
    },
  },
  '/api/v1/arms/{name}/take-over': post({
    id: 'arm_take_over',
    tag: 'arms',
    summary: 'Take an arm',
    description: 'From whoever drives it, who is told; the arm holds, and is the caller’s until it is released.',
    parameters: [ARM_NAME],
    answer: STATUS_ANSWER,
    refusals: { 400: NOT_THERE, 404: NO_ARM, 409: 'The arm is stopped (/stop/reset).' },
  }),
  '/api/v1/arms/{name}/release': post({
    id: 'arm_release',
    tag: 'arms',
    summary: 'Give an arm back',
    description: 'What the caller drives it with ends; the arm holds.',
    parameters: [ARM_NAME, TAKE_OVER],
    answer: STATUS_ANSWER,
    refusals: { 400: NOT_THERE, 404: NO_ARM, 409: CONFLICT },
  }),
  '/api/v1/arms/{name}/reachable': post({
    id: 'arm_reachable',
    tag: 'arms',
    summary: 'Ask what /move/absolute would do',
    description: 'With the body of /move/absolute, in its units; nothing moves.',
    parameters: [ARM_NAME],
    body: { name: 'AbsoluteMoveRequest', required: true },
    answer: { name: 'ReachableAnswer', description: 'Whether the arm can go there, and with which joints.' },
    refusals: { 400: 'The arm is disconnected or not initialised.', 404: NO_ARM, 409: CONFLICT },
  }),
  '/api/v1/pairs': get({
    id: 'pairs',
    tag: 'arms',
    summary: 'Pairs that mirror',
    answer: { name: 'PairList', description: 'At this moment.' },
    refusals: {},
  }),
  '/api/v1/stop': post({
    id: 'api_stop',
    tag: 'arms',
    summary: 'Stop and hold',
    description: 'As /stop.',
    parameters: [ROBOT_ID_OR_ALL],
    answer: STATUS_ANSWER,
    refusals: { 400: UNKNOWN_ARM },
  }),
  '/api/v1/stop/reset': post({
    id: 'api_stop_reset',
    tag: 'arms',
    summary: 'Leave the stop',
    description: 'As /stop/reset.',
    parameters: [ROBOT_ID_OR_ALL],
    answer: STATUS_ANSWER,
    refusals: { 400: UNKNOWN_ARM },
  }),
  '/api/v1/session': {
    post: {
      id: 'session_open',
      tag: 'status',
      summary: 'Exchange a token for a cookie',
      description: 'For pages: the cookie is kept from scripts and from other sites, and ends after 12 hours.',
      body: { name: 'SessionRequest', required: false },
      answer: { name: 'SessionAnswer', description: 'The answer sets the cookie, where a token is needed at all.' },
      refusals: { 401: 'The token is missing or wrong.' },
    },
    delete: {
      id: 'session_close',
      tag: 'status',
      summary: 'End the session of a page',
      answer: STATUS_ANSWER,
      refusals: {},
    },
  },
  '/api/v1/config': get({
    id: 'config',
    tag: 'status',
    summary: 'The configuration in use',
    answer: { name: 'ConfigAnswer', description: 'With its defaults, without secrets.' },
    refusals: {},
  }),
  '/api/v1/log': get({
    id: 'log',
    tag: 'status',
    summary: 'The newest lines of the log',
    parameters: [query('from', 'Number of the first line wanted.', { type: 'integer', minimum: 0, default: 0 })],
    answer: { name: 'LogAnswer', description: 'At most the newest thousand.' },
    refusals: {},
  }),
  '/api/v1/live': get({
    id: 'live',
    tag: 'live',
    summary: 'Watch arms, pairs, the loop and the log',
    description: 'A WebSocket where the request asks for one; otherwise server-sent events without an end.',
    parameters: [
      query('topics', 'Of arms, pairs, loop and log, separated by commas; left out: all.', { type: 'string' }),
      query('rate', 'Frames per second.', { type: 'number', minimum: 1, maximum: 100, default: 20 }),
    ],
    answer: { media: 'text/event-stream', description: 'An event for each frame, named after its topic.' },
    refusals: { 503: 'Too many clients watch the bridge.' },
  }),
};
