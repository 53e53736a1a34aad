import { z } from 'zod';
import { MOST_JOINTS } from '../../sizes.ts';
import { completedAbsolute } from '../dialect.ts';
import { etagOf, isKnown } from '../etag.ts';
import { components } from '../fields.ts';
import { absoluteMoveOf, absoluteMoveRequest } from '../move-bodies.ts';
import { CONFLICT, NO_ARM, route, takeOver } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';
import { activity, armFacts, armFactsView, armState, armView, holder, holderView } from '../views.ts';

const NOT_CONNECTED = 'The arm is disconnected.';

const armList = z
  .object({
    arms: z.array(armFacts.extend({ now: armState }).register(components, { id: 'ArmOverview' })),
  })
  .register(components, { id: 'ArmList' });

const motionState = z
  .object({
    state: armState.shape.state,
    ...holder,
    motion: activity.nullable().describe('What drives the arm; null: nothing.'),
  })
  .register(components, { id: 'MotionState' });

const reachableAnswer = z
  .object({
    reachable: z.boolean().describe('The move would be accepted and could meet its tolerances.'),
    message: z.string().nullable().describe('Why not.'),
    joints: z
      .array(z.number())
      .max(MOST_JOINTS)
      .nullable()
      .describe('Where the joints would go, rad; null where they cannot.'),
  })
  .register(components, { id: 'ReachableAnswer' });

const named = { tag: 'arms', target: 'named' } as const;

export const jointsExample = {
  position: [0, -0.52, 0.61, 0.2, 0, 0.1],
  goal: [0, -0.52, 0.6, 0.2, 0, 0.1],
  velocity: [0, 0, 0, 0, 0, 0],
  effort: [0, -0.6, 0.3, 0.1, 0, 0],
  external: [0, 0.21, 0.1, 0.02, 0, 0],
  temperature: [31, 33, 32, 30, 30, 29],
  voltage: [12, 12, 12, 12, 12, 12],
  alarm: [0, 0, 0, 0, 0, 0],
};

export const armStateExample: z.input<typeof armState> = {
  id: 1,
  state: 'ready',
  owner: null,
  owner_since: null,
  torque: true,
  failed: false,
  initialised: true,
  calibrated: true,
  outside_limits: [],
  doubt: '',
  reason: '',
  sampled: 1767323045.5,
  joints: jointsExample,
  tool: { position: [0.31, 0, 0.22], orientation: [0, 0, 0, 1] },
  wrench: { force: [0, 0, 0.9], moment: [0, 0.01, 0] },
  opening: 0.1,
  motion: null,
};

export const armFactsExample: z.input<typeof armFacts> = {
  id: 1,
  name: 'follower',
  model: 'so101',
  variant: 'follower',
  leader: 'leader',
  title: 'SO-101',
  bus: 'sim:so101',
  simulated: true,
  remote: false,
  base_link: 'base_link',
  tool_link: 'tool',
  mount: { xyz: [0, 0, 0], rpy: [0, 0, 0] },
  joints: [
    {
      name: 'shoulder_pan',
      role: 'shoulder_pan',
      lower: -1.92,
      upper: 1.92,
      velocity: 1.5,
      torque_limit: 2.9,
      unit: 'rad',
      travel: [-1.87, 1.87],
      turned: false,
      servos: [{ id: 1, model: 'STS3215' }],
    },
  ],
  gripper: { index: 5, closed: 0, open: 1.7 },
  poses: { init: [0, -0.52, 0.61, 0.2, 0, 0.1] },
  alarms: { 1: 'supply voltage out of range' },
};

const TAG = { ETag: 'Tag of the model.' };

export const armRoutes = [
  route({
    method: 'GET',
    path: '/api/v1/arms',
    access: 'read',
    id: 'arms',
    tag: 'arms',
    summary: 'List the arms',
    description: 'What they are and how they are at this moment.',
    target: 'none',
    answer: {
      description: 'Metres, radians, seconds, Nm.',
      schema: armList,
      example: { arms: [{ ...armFactsExample, now: armStateExample }] },
    },
    refusals: {},
    handler: ({ services }) => ({
      arms: services.arms.all.map((arm) => ({ ...armFactsView(services, arm), now: armView(arm) })),
    }),
  }),
  route({
    ...named,
    method: 'GET',
    path: '/api/v1/arms/{name}/urdf',
    access: 'read',
    id: 'arm_urdf',
    summary: 'URDF of an arm',
    description: 'The model as it is in the folder of the arm, with an ETag.',
    headers: { 'If-None-Match': 'ETags of what the client has.' },
    answer: {
      description: 'XML.',
      media: 'text/xml',
      headers: TAG,
      known: { description: 'The client has it already.', headers: TAG },
      example: '<robot name="so101"><link name="base_link"/></robot>',
    },
    refusals: { 404: NO_ARM },
    handler: (_parts, { arm, request }, reply) => {
      const { urdf } = arm.model;
      return isKnown(request, reply, etagOf(urdf)) ? reply : reply.type('text/xml; charset=utf-8').send(urdf);
    },
  }),
  route({
    ...named,
    method: 'GET',
    path: '/api/v1/arms/{name}/motion',
    access: 'read',
    id: 'arm_motion',
    summary: 'What drives an arm',
    description: 'The motion that is under way, and who asked for it.',
    answer: {
      description: 'At this moment.',
      schema: motionState,
      example: {
        state: 'moving',
        owner: '"notebook" on this computer',
        owner_since: 1767323044.2,
        motion: { kind: 'trajectory', progress: 0.25 },
      },
    },
    refusals: { 404: NO_ARM },
    handler: (_parts, { arm }) => ({
      state: arm.read().state,
      ...holderView(arm),
      motion: arm.activity,
    }),
  }),
  route({
    ...named,
    method: 'DELETE',
    path: '/api/v1/arms/{name}/motion',
    access: 'control',
    act: 'halt',
    id: 'arm_motion_cancel',
    summary: 'End what drives an arm',
    description: 'The arm decelerates and holds. It is not stopped: the next motion may begin at once.',
    query: { take_over: takeOver },
    answer: statusAnswer('follower holds'),
    refusals: { 400: NOT_CONNECTED, 404: NO_ARM, 409: CONFLICT },
    handler: async ({ callers }, { arm, query }, reply) => {
      const ended = await callers.run(reply, query, (caller) => arm.halt(caller));
      return ok(ended ? `${arm.name} holds` : `Nothing drove ${arm.name}`);
    },
  }),
  route({
    ...named,
    method: 'POST',
    path: '/api/v1/arms/{name}/take-over',
    access: 'control',
    act: 'take_over',
    id: 'arm_take_over',
    summary: 'Take an arm',
    description: 'From whoever drives it, who is told; the arm holds, and is the caller’s until it is released.',
    answer: statusAnswer('follower is yours until you release it'),
    refusals: { 400: NOT_CONNECTED, 404: NO_ARM, 409: 'The arm is stopped (/stop/reset).' },
    handler: async ({ callers }, { arm }, reply) => {
      await callers.run(reply, { take_over: true }, (caller) => arm.takeOver(caller));
      return ok(`${arm.name} is yours until you release it`);
    },
  }),
  route({
    ...named,
    method: 'POST',
    path: '/api/v1/arms/{name}/release',
    access: 'control',
    act: 'release',
    id: 'arm_release',
    summary: 'Give an arm back',
    description: 'What the caller drives it with ends; the arm holds.',
    query: { take_over: takeOver },
    answer: statusAnswer('follower is free'),
    refusals: { 400: NOT_CONNECTED, 404: NO_ARM, 409: CONFLICT },
    handler: async ({ callers }, { arm, query }, reply) => {
      const released = await callers.run(reply, query, (caller) => arm.release(caller));
      return ok(released ? `${arm.name} is free` : `${arm.name} was free already`);
    },
  }),
  route({
    ...named,
    method: 'POST',
    path: '/api/v1/arms/{name}/reachable',
    access: 'read',
    id: 'arm_reachable',
    summary: 'Ask what /move/absolute would do',
    description: 'With the body of /move/absolute, in its units; nothing moves.',
    body: { schema: absoluteMoveRequest, complete: completedAbsolute, example: { x: 3, z: -5 } },
    answer: {
      description: 'Whether the arm can go there, and with which joints.',
      schema: reachableAnswer,
      example: { reachable: true, message: null, joints: [0.2, -0.5, 0.6, 0.3, 0, 0.1] },
    },
    refusals: { 400: 'The arm is disconnected or not initialised.', 404: NO_ARM, 409: CONFLICT },
    handler: async ({ services }, { arm, body }) => {
      const { problem, goal } = await services.motion.foresee(arm, absoluteMoveOf(body, services.config.dialect));
      return { reachable: problem === null, message: problem, joints: goal === null ? null : [...goal] };
    },
  }),
];
