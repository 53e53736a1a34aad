import { z } from 'zod';
import { FARTHEST } from '../../arm/scene.ts';
import type { Arm } from '../../arm/types.ts';
import { LONGEST_NAME, MOST_JOINTS } from '../../sizes.ts';
import { HttpProblem } from '../errors.ts';
import { asModel, components, integer, map, number, word } from '../fields.ts';
import { route } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';
import { armById, armsById, type HttpServices, type SimulationControl } from '../services.ts';
import { Faults } from '../validation.ts';

const MOST_DURATION = 60;
/** Range of a hand's stiffness, Nm/rad. */
const SOFTEST = 0.1;
const FIRMEST = 40;

const handRequest = z
  .object(
    {
      robot_id: integer().prefault(0).describe('Id of a simulated arm.'),
      joints: map(number(), { max: MOST_JOINTS })
        .nullable()
        .describe('Joint angles in radians that the hand leads to, by joint name; null lets go of all.'),
      duration: number({ min: 0, max: MOST_DURATION }).prefault(1).describe('Time the hand takes, in seconds.'),
      stiffness: map(number({ min: SOFTEST, max: FIRMEST }), { max: MOST_JOINTS })
        .optional()
        .describe(
          'How stiff the hand is, in Nm/rad, by joint name: a soft one gives way to what the arm pushes with. Joints that are not named: 40.',
        ),
    },
    asModel,
  )
  .register(components, { id: 'HandRequest' });

const vector = z.object({ x: z.number(), y: z.number(), z: z.number() }).register(components, { id: 'Vector' });
const quaternion = vector.extend({ w: z.number() }).register(components, { id: 'Quaternion' });
const simulationTruth = z
  .object({
    robot_id: z.int(),
    name: z.string(),
    joints: z.record(z.string(), z.number()).describe('Joint angles of the physics, in radians.'),
    tool: z
      .object({
        position: vector,
        orientation: quaternion,
      })
      .describe('Tool in the base frame, metres and a unit quaternion.'),
    time: z.number().describe('Of the physics, seconds since the epoch.'),
  })
  .register(components, { id: 'SimulationTruth' });

const within = (): ReturnType<typeof number> => number({ min: -FARTHEST, max: FARTHEST });
const place = z.object({ x: within(), y: within(), z: within() }, asModel).register(components, { id: 'Place' });

const objectMove = z
  .object(
    {
      robot_id: integer().prefault(0).describe('Id of the simulated arm in front of which the object stands.'),
      name: word(LONGEST_NAME).describe('Of the object.'),
      position: place.describe('Where the hand leads it, in the base frame of the arm, metres.'),
      duration: number({ min: 0, max: MOST_DURATION })
        .prefault(1)
        .describe('Time after which the hand lets go, in seconds; it moves at 0.5 m/s. 0: at once.'),
    },
    asModel,
  )
  .register(components, { id: 'ObjectMove' });

const objectReset = z
  .object(
    { robot_id: integer().nullable().prefault(null).describe('Id of a simulated arm; null: of all of them.') },
    asModel,
  )
  .register(components, { id: 'ObjectReset' });

const triple = z.array(z.number()).length(3);
const simObject = z
  .object({
    name: z.string(),
    colour: z.string().describe('As #rrggbb.'),
    mass: z.number().nullable().describe('kg; null: it does not move.'),
    parts: z
      .array(
        z.object({
          kind: z.enum(['box', 'cylinder', 'sphere']),
          size: triple.optional().describe('Edges of a box, metres.'),
          radius: z.number().optional().describe('Of a cylinder or sphere, metres.'),
          length: z.number().optional().describe('Of a cylinder, which stands along z, metres.'),
          at: triple.describe('Its centre in the frame of the object, metres.'),
        }),
      )
      .describe('Primitives that move as one.'),
    position: vector,
    orientation: quaternion,
    touches: z
      .array(z.object({ by: z.string(), force: z.number() }))
      .describe(
        'Links of the arm and other objects that press on it, with the sum of their normal forces in newtons. Empty for what lies still.',
      ),
  })
  .register(components, { id: 'SimObject' });

const simObjects = z
  .object({ robot_id: z.int(), name: z.string(), objects: z.array(simObject) })
  .register(components, { id: 'SimObjects' });

function simulationOf(services: HttpServices, arm: Arm): SimulationControl {
  if (services.simulation !== null && arm.simulated) return services.simulation;
  throw new HttpProblem(
    400,
    `${arm.name} (robot ${arm.id}, bus ${arm.bus}) is no simulated arm: the routes below /sim exist in ` +
      'simulation only.',
  );
}

function checkHand(arm: Arm, { joints, stiffness }: z.output<typeof handRequest>): void {
  const faults = new Faults();
  const known = arm.model.joints.map(({ name }) => name);
  for (const [name, value] of Object.entries(stiffness ?? {})) {
    if (!known.includes(name)) faults.unknownName(['body', 'stiffness', name], value, known);
  }
  for (const [name, angle] of Object.entries(joints ?? {})) {
    const loc = ['body', 'joints', name];
    const joint = arm.model.joints.find((candidate) => candidate.name === name);
    if (joint === undefined) {
      faults.unknownName(loc, angle, known);
    } else if (angle < joint.lower) {
      faults.belowBound(loc, angle, joint.lower);
    } else if (angle > joint.upper) {
      faults.aboveBound(loc, angle, joint.upper);
    }
  }
  faults.refuse();
}

/** @throws {HttpProblem} 400 with the movable objects */
function checkObject({ scene }: SimulationControl, arm: Arm, name: string): void {
  const movable = scene.of(arm.name).filter(({ mass }) => mass !== null);
  if (movable.some((object) => object.name === name)) return;
  const known =
    movable.map((object) => object.name).join(', ') || 'none: `sim.scene` of the configuration names a scene';
  throw new HttpProblem(400, `No object "${name}" that moves stands before ${arm.name}. Known here: ${known}.`);
}

type ObjectTold = Awaited<ReturnType<SimulationControl['objects']>>[number];

/** Converts an object to the schema. */
function objectView({
  name,
  colour,
  mass,
  parts,
  position,
  orientation,
  touches,
}: ObjectTold): z.input<typeof simObject> {
  return { name, colour, mass, parts: [...parts], position, orientation, touches: [...touches] };
}

const NOT_SIMULATED = { 400: 'The arm is unknown or no simulated one.' };

export const simulationRoutes = [
  route({
    method: 'POST',
    path: '/sim/hand',
    access: 'control',
    act: 'simulation',
    id: 'sim_hand',
    tag: 'simulation',
    summary: 'Lead a simulated arm by hand',
    description: 'A spring and damper of limited force in the physics. In simulation only.',
    target: 'none',
    body: { schema: handRequest, example: { robot_id: 0, joints: { shoulder_pan: 0.6 }, duration: 2 } },
    answer: statusAnswer(),
    refusals: NOT_SIMULATED,
    handler: async ({ services }, { body }) => {
      const arm = armById(services, body.robot_id);
      const simulation = simulationOf(services, arm);
      checkHand(arm, body);
      await simulation.hand(arm, body.joints, body.duration, body.stiffness ?? {});
      return ok();
    },
  }),
  route({
    method: 'GET',
    path: '/sim/truth',
    access: 'read',
    id: 'sim_truth',
    tag: 'simulation',
    summary: 'State of the physics of a simulated arm',
    description: 'What the arm really does, beside what its encoders say. In simulation only.',
    target: 'one',
    answer: {
      description: 'Radians and metres.',
      schema: simulationTruth,
      example: {
        robot_id: 0,
        name: 'leader',
        joints: { shoulder_pan: 0.25 },
        tool: { position: { x: 0.31, y: 0, z: 0.22 }, orientation: { x: 0, y: 0, z: 0, w: 1 } },
        time: 1767323045.5,
      },
    },
    refusals: NOT_SIMULATED,
    handler: async ({ services }, { arm }) => {
      const { joints, tool, time } = await simulationOf(services, arm).truth(arm);
      return { robot_id: arm.id, name: arm.name, joints, tool, time };
    },
  }),
  route({
    method: 'GET',
    path: '/sim/objects',
    access: 'read',
    id: 'sim_objects',
    tag: 'simulation',
    summary: 'Objects before a simulated arm',
    description: 'Where they are in the physics and what presses on them; none where no scene stands before the arm.',
    target: 'one',
    answer: {
      description: 'Metres, kilograms and newtons, in the base frame of the arm.',
      schema: simObjects,
      example: {
        robot_id: 1,
        name: 'follower',
        objects: [
          {
            name: 'cube',
            colour: '#d6453d',
            mass: 0.02,
            parts: [{ kind: 'box', size: [0.028, 0.028, 0.028], at: [0, 0, 0] }],
            position: { x: 0.22, y: 0.05, z: 0.097 },
            orientation: { x: 0, y: 0, z: 0, w: 1 },
            touches: [{ by: 'jaw', force: 4.4 }],
          },
        ],
      },
    },
    refusals: NOT_SIMULATED,
    handler: async ({ services }, { arm }) => {
      const objects = await simulationOf(services, arm).objects(arm);
      return { robot_id: arm.id, name: arm.name, objects: objects.map(objectView) };
    },
  }),
  route({
    method: 'POST',
    path: '/sim/objects/move',
    access: 'control',
    act: 'simulation',
    id: 'sim_objects_move',
    tag: 'simulation',
    summary: 'Move an object before a simulated arm by hand',
    description:
      'A hand of limited force: it pushes nothing through anything, and an arm that holds the object may be stronger.',
    target: 'none',
    body: {
      schema: objectMove,
      example: { robot_id: 1, name: 'cube', position: { x: 0.2, y: 0.1, z: 0.03 }, duration: 1 },
    },
    answer: statusAnswer(),
    refusals: { 400: 'The arm is unknown or no simulated one, or no such object that moves stands before it.' },
    handler: async ({ services }, { body: { robot_id, name, position, duration } }) => {
      const arm = armById(services, robot_id);
      const simulation = simulationOf(services, arm);
      checkObject(simulation, arm, name);
      await simulation.leadObject(arm, name, [position.x, position.y, position.z], duration);
      return ok();
    },
  }),
  route({
    method: 'POST',
    path: '/sim/objects/reset',
    access: 'control',
    act: 'simulation',
    id: 'sim_objects_reset',
    tag: 'simulation',
    summary: 'Put the objects before simulated arms back',
    description: 'To where the scene has them, at rest; the arms stay where they are.',
    target: 'none',
    body: { schema: objectReset, example: { robot_id: 1 } },
    answer: statusAnswer(),
    refusals: NOT_SIMULATED,
    handler: async ({ services }, { body: { robot_id } }) => {
      const arms = armsById(services, robot_id).filter((arm) => robot_id !== null || arm.simulated);
      for (const arm of arms) await simulationOf(services, arm).resetObjects(arm);
      return ok();
    },
  }),
];
