import { z } from 'zod';
import type { Arm } from '../../arm/types.ts';
import { HttpProblem } from '../errors.ts';
import { asModel, components, integer, MOST_JOINTS, map, number } from '../fields.ts';
import { route } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';
import { armById, type HttpServices, type SimulationControl } from '../services.ts';
import { Faults } from '../validation.ts';

const MOST_DURATION = 60;

const handRequest = z
  .object(
    {
      robot_id: integer().prefault(0).describe('Id of a simulated arm.'),
      joints: map(number(), { max: MOST_JOINTS })
        .nullable()
        .describe('Joint angles in radians that the hand leads to, by joint name; null lets go of all.'),
      duration: number({ min: 0, max: MOST_DURATION }).prefault(1).describe('Time the hand takes, in seconds.'),
    },
    asModel,
  )
  .register(components, { id: 'HandRequest' });

const vector = z.object({ x: z.number(), y: z.number(), z: z.number() }).register(components, { id: 'Vector' });
const simulationTruth = z
  .object({
    robot_id: z.int(),
    name: z.string(),
    joints: z.record(z.string(), z.number()).describe('Joint angles of the physics, in radians.'),
    tool: z
      .object({
        position: vector,
        orientation: vector.extend({ w: z.number() }).register(components, { id: 'Quaternion' }),
      })
      .describe('Tool in the base frame, metres and a unit quaternion.'),
    time: z.number().describe('Of the physics, seconds since the epoch.'),
  })
  .register(components, { id: 'SimulationTruth' });

function simulationOf(services: HttpServices, arm: Arm): SimulationControl {
  if (services.simulation !== null && arm.simulated) return services.simulation;
  throw new HttpProblem(
    400,
    `${arm.name} (robot ${arm.id}, bus ${arm.bus}) is no simulated arm: /sim/hand and /sim/truth exist in ` +
      'simulation only.',
  );
}

function checkJoints(arm: Arm, joints: Readonly<Record<string, number>>): void {
  const faults = new Faults();
  for (const [name, angle] of Object.entries(joints)) {
    const loc = ['body', 'joints', name];
    const joint = arm.model.joints.find((candidate) => candidate.name === name);
    if (joint === undefined) {
      const known = arm.model.joints.map((candidate) => candidate.name);
      faults.unknownName(loc, angle, known);
    } else if (angle < joint.lower) {
      faults.belowBound(loc, angle, joint.lower);
    } else if (angle > joint.upper) {
      faults.aboveBound(loc, angle, joint.upper);
    }
  }
  faults.refuse();
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
      if (body.joints !== null) checkJoints(arm, body.joints);
      await simulation.hand(arm, body.joints, body.duration);
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
];
