import { z } from 'zod';
import { SETUP, type SetupStep } from '../../setup/arm-setup.ts';
import { HAND_ACTIONS, SETUP_ACTIONS } from '../../setup/setup-service.ts';
import { LONGEST_NAME } from '../../sizes.ts';
import { asking } from '../callers.ts';
import { asModel, components, LONGEST_PATH, oneOf, word } from '../fields.ts';
import { route } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';
import type { HttpServices } from '../services.ts';

const ROLES = ['leader', 'follower'] as const;
const STEPS = Object.keys(SETUP.states) as readonly SetupStep[];

const setupSession = z
  .object({
    name: z.string(),
    model: z.string(),
    variant: z.string(),
    role: z.enum(ROLES).nullable(),
    bus: z.string(),
    practice: z.boolean().describe('It is the simulated kit.'),
    step: z
      .enum(STEPS)
      .describe(
        'look, missing and whole: the servos are to be looked at; single: one is to be connected alone; registers: some are not as ' +
          'wanted; enter: the arm is to be written into the configuration; done: it has been.',
      ),
    servos: z.array(
      z
        .object({
          joint: z.string(),
          id: z.int().describe('That it is to get.'),
          model: z.string(),
          part: z.string().nullable().describe('What tells it from others of its model, such as its gear.'),
          supplies: z
            .array(z.number())
            .describe('Supply that it is made for, V; several: only the print on it tells which.'),
          due: z.boolean().describe('It is the one that is to be connected alone.'),
          done: z.boolean().describe('It has its id, or was left out.'),
        })
        .register(components, { id: 'SetupServo' }),
    ),
    instruction: z
      .string()
      .describe('What to connect, and to which supply; empty at steps that need nothing connected.'),
    said: z.string().describe('What the last action has come to.'),
    fault: z.string().describe('What is wrong, and what to do; empty when nothing is.'),
    given: z
      .boolean()
      .describe('The servo has been given another id before: `reassign` gives it its own all the same.'),
    busy: z.boolean().describe('Whether an action is under way.'),
    counterparts: z.array(z.string()).describe('Arms that it may be paired with, by its role, at the step `enter`.'),
    by: z.string().describe('Who sets it up.'),
  })
  .register(components, { id: 'SetupSession' });

const setupState = z
  .object({
    ports: z
      .array(
        z
          .object({
            bus: z.string().describe('As the configuration names it.'),
            about: z.string(),
            adapter: z.string().nullable().describe('Kind of adapter that arms have; null: an unknown one.'),
            likely: z
              .array(z.string())
              .describe('Models that usually come with this adapter, or with others of its servos.'),
          })
          .register(components, { id: 'FreePort' }),
      )
      .describe('USB adapters on which no arm of this bridge is.'),
    models: z.array(
      z
        .object({
          model: z.string(),
          builds: z.array(z.object({ variant: z.string(), title: z.string() })),
        })
        .register(components, { id: 'ArmBuilds' }),
    ),
    no_practice: z.string().describe('Why there is no simulated kit; empty when there is one.'),
    arms: z.array(z.string()).describe('Arms that have been set up since the bridge began, and those of `trials`.'),
    file: z.string().describe('Configuration file that arms are written to.'),
    trials: z
      .array(z.object({ leader: z.string(), follower: z.string() }))
      .describe(
        'Pairs that follow slowly until somebody confirms that they go the right way: those whose `velocity` is 0.4 rad/s, which ' +
          'stands in the configuration until then.',
      ),
    session: setupSession.nullable().describe('The arm that is being set up; null if there is none.'),
  })
  .register(components, { id: 'SetupState' });

const setupRequest = z
  .object(
    {
      bus: word(LONGEST_PATH)
        .nullable()
        .prefault(null)
        .describe('Bus of the arm; null: the simulated kit, to practise with.'),
      model: word(LONGEST_PATH).describe('Which arm it is.'),
      variant: word(LONGEST_NAME).nullable().prefault(null).describe('Which build of it; null: the one of its role.'),
      role: oneOf(ROLES)
        .nullable()
        .prefault(null)
        .describe('leader: a hand holds it; null: it neither leads nor follows.'),
      name: word(LONGEST_NAME).describe('What it is to be called.'),
    },
    asModel,
  )
  .register(components, { id: 'SetupRequest' });

const setupStep = z
  .object(
    {
      action: oneOf(SETUP_ACTIONS).describe('What is to be done at the present step.'),
      counterpart: word(LONGEST_NAME)
        .nullable()
        .prefault(null)
        .describe('For `enter`: the other arm of its pair; null: none.'),
    },
    asModel,
  )
  .register(components, { id: 'SetupStep' });

const setupHand = z
  .object(
    {
      arm: word(LONGEST_NAME).describe('Arm that is practised with.'),
      action: oneOf(HAND_ACTIONS).describe('plug: connects one servo, or all; middle, ends: leads every joint there.'),
      what: word(LONGEST_NAME)
        .prefault('all')
        .describe('For `plug`: joint of the servo that is to be connected alone, or all.'),
    },
    asModel,
  )
  .register(components, { id: 'SetupHand' });

const setupVerdict = z
  .object(
    {
      follower: word(LONGEST_NAME).describe('Of a pair of `trials`.'),
      verdict: oneOf(['right', 'swapped']).describe(
        'right: it has its full speed from the next start on; swapped: leader and follower are each other: their ports are exchanged ' +
          'in the configuration file, for the next start of the bridge, which asks again.',
      ),
    },
    asModel,
  )
  .register(components, { id: 'SetupVerdict' });

const session = {
  name: 'leader',
  model: 'so101',
  variant: 'leader',
  role: 'leader' as const,
  bus: 'serial:?serial=58FA0001',
  practice: false,
  step: 'single' as const,
  servos: [
    {
      joint: 'gripper',
      id: 6,
      model: 'STS3215',
      part: 'C046, gear 1/147',
      supplies: [7.4, 12],
      due: true,
      done: false,
    },
  ],
  instruction:
    'Connect only the servo for the gripper (STS3215, the one with C046, gear 1/147) to the adapter, and switch its supply on: ' +
    '7.4 V or 12 V, whichever is printed on it.',
  said: '',
  fault: '',
  given: false,
  busy: false,
  counterparts: [],
  by: 'page 1f3a on this computer (Firefox/140)',
};
const answer = { description: 'The set-up as it is now.', schema: setupSession, example: session };
const ELSE = 'Another client sets an arm up, or an arm of this bridge is on the bus.';

type Session = z.input<typeof setupSession>;
type View = NonNullable<ReturnType<HttpServices['setup']['view']>>;

const sessionOf = ({ servos, counterparts, ...rest }: View): Session => ({
  ...rest,
  servos: servos.map((servo) => ({ ...servo, supplies: [...servo.supplies] })),
  counterparts: [...counterparts],
});

export const setupRoutes = [
  route({
    method: 'GET',
    path: '/api/v1/setup',
    access: 'read',
    id: 'setup',
    tag: 'arms',
    summary: 'See what can be set up, and how far a set-up is',
    description: 'Only looks; nothing is opened.',
    target: 'none',
    answer: {
      description: 'Adapters without an arm, models, pairs on trial, and the set-up under way.',
      schema: setupState,
      example: {
        ports: [
          {
            bus: 'serial:?serial=58FA0001',
            about: '/dev/ttyACM0 USB Single Serial',
            adapter: 'WCH CH343',
            likely: ['so101'],
          },
        ],
        models: [{ model: 'so101', builds: [{ variant: 'follower', title: 'SO-101' }] }],
        no_practice: '',
        arms: ['follower'],
        file: '/home/me/my.yaml',
        trials: [],
        session,
      },
    },
    refusals: {},
    handler: async ({ services: { setup } }) => {
      const view = setup.view();
      return {
        ports: (await setup.ports()).map(({ likely, ...port }) => ({ ...port, likely: [...likely] })),
        models: (await setup.models()).map(({ model, builds }) => ({
          model,
          builds: builds.map(({ value, label }) => ({ variant: value, title: label })),
        })),
        no_practice: setup.noPractice,
        arms: [...setup.made],
        file: setup.file,
        trials: setup.trials.map(({ leader, follower }) => ({ leader, follower })),
        session: view === null ? null : sessionOf(view),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/setup',
    access: 'control',
    act: 'configuration',
    id: 'setup_begin',
    tag: 'arms',
    summary: 'Begin to set an arm up',
    description:
      'Looks which of its servos answer, and keeps the bus from everybody else until the arm is set up, the set-up is ended, or its ' +
      'client has been gone for 30 s. Writes nothing; no step switches torque on.',
    target: 'none',
    body: { schema: setupRequest, example: { bus: null, model: 'so101', role: 'leader', name: 'practice_leader' } },
    answer,
    refusals: { 400: 'There is no such model, or the name or the bus is taken.', 409: ELSE },
    handler: async ({ services }, { body, request }) =>
      sessionOf(await services.setup.begin(body, asking(request, {}))),
  }),
  route({
    method: 'POST',
    path: '/api/v1/setup/next',
    access: 'control',
    act: 'configuration',
    id: 'setup_next',
    tag: 'arms',
    summary: 'Do what is to be done at the present step of a set-up',
    description:
      'Answers when it has been done, or with `fault` when it has not: the step stays then. Only `give`, `reassign` and `set_registers` ' +
      'write to servos, and only to limp ones; only `enter` writes the configuration and adds the arm to the bridge.',
    target: 'none',
    body: { schema: setupStep, example: { action: 'give' } },
    answer,
    refusals: { 400: 'No arm is being set up, or the action has no meaning at its step.', 409: ELSE },
    handler: async ({ services }, { body, request }) =>
      sessionOf(await services.setup.act(body.action, body.counterpart, asking(request, {}))),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/setup',
    access: 'control',
    act: 'configuration',
    id: 'setup_end',
    tag: 'arms',
    summary: 'End a set-up',
    description: 'What has been written stays; another set-up of the same arm goes on from there.',
    target: 'none',
    answer: statusAnswer('The set-up has ended'),
    refusals: { 409: ELSE },
    handler: async ({ services }, { request }) => {
      const ended = await services.setup.end(asking(request, {}));
      return ok(ended ? 'The set-up has ended' : 'No arm was being set up');
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/setup/verdict',
    access: 'control',
    act: 'configuration',
    id: 'setup_verdict',
    tag: 'arms',
    summary: 'Say whether a new pair goes the right way',
    description: 'Until then the follower is no faster than 0.4 rad/s.',
    target: 'none',
    body: { schema: setupVerdict, example: { follower: 'follower', verdict: 'right' } },
    answer: statusAnswer('follower follows at its full speed from the next start on'),
    refusals: { 400: 'No such pair waits for a word.' },
    handler: ({ services: { setup } }, { body: { follower, verdict } }) => {
      if (verdict === 'right') {
        setup.confirm(follower);
        return ok(`${follower} follows at its full speed from the next start on`);
      }
      setup.swap(follower);
      return ok(
        `Leader and follower have exchanged their ports in ${setup.file}: start the bridge again, and calibrate both`,
      );
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/setup/hand',
    access: 'control',
    act: 'simulation',
    id: 'setup_hand',
    tag: 'simulation',
    summary: 'Move the hand that builds a simulated kit',
    description: 'Answers when the hand is there. Of arms that are practised with only.',
    target: 'none',
    body: { schema: setupHand, example: { arm: 'practice_leader', action: 'plug', what: 'gripper' } },
    answer: statusAnswer('One servo is connected to the adapter.'),
    refusals: { 400: 'The arm is none that is practised with, or has no such servo.', 409: ELSE },
    handler: async ({ services }, { body: { arm, action, what }, request }) =>
      ok(await services.setup.hand(arm, action, what, asking(request, {}))),
  }),
];
