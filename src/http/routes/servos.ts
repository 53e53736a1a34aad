import type { FastifyInstance } from 'fastify';
import type { ServoFacts } from '../../arm/arm-servos.ts';
import type { Arm } from '../../arm/types.ts';
import type { Callers } from '../callers.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { type RobotConfig, temperatureWriteRequest } from '../joint-schemas.ts';
import { armById, type HttpServices } from '../services.ts';
import { stepsFromRadians } from '../units.ts';
import { readRequest } from '../validation.ts';

/** True once the servos of this bridge have told voltage and temperature. */
function measured(arm: Arm): boolean {
  return !arm.remote && arm.read().detailTime > 0;
}

/** Torque (Nm) as a load of the servo, per mille of its output. */
function load(torque: number | undefined, servo: ServoFacts | undefined): number {
  return torque === undefined || servo === undefined ? 0 : Math.round((1000 * torque) / servo.stallTorque);
}

function configOf(arm: Arm, facts: readonly ServoFacts[]): NonNullable<RobotConfig['config']> {
  const { joints, gripper, poses } = arm.model;
  const servos = joints.map((joint) => joint.servos[0]!);
  const { voltages } = arm.read();
  const stall = gripper === null ? null : joints[gripper.index]!.stall;
  const gripperServo = gripper === null ? undefined : facts[gripper.index];
  return {
    name: arm.model.name,
    servos_voltage: voltages.reduce((sum, voltage) => sum + voltage, 0) / voltages.length,
    servos_offsets: servos.map(({ zero }) => zero),
    servos_calibration_position: servos.map((servo, i) => stepsFromRadians(servo, poses.get('init')![i]!)),
    servos_offsets_signs: servos.map(({ sign }) => sign),
    pid_gains: facts.map(({ gains }) => ({ p_gain: gains.p, i_gain: gains.i, d_gain: gains.d })),
    gripping_threshold: load(stall?.torque, gripperServo),
    non_gripping_threshold: load(stall?.hold, gripperServo),
  };
}

/** /voltage/read, /temperature/read, /temperature/write and /robot/config. */
export function servoRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  app.post('/voltage/read', async (request) => {
    const { robotId } = readRequest(request, { robotId: 'default' });
    const arm = armById(services, robotId!);
    arm.requireConnected();
    return { current_voltage: measured(arm) ? Array.from(arm.read().voltages) : null };
  });

  app.post('/temperature/read', async (request) => {
    const { robotId } = readRequest(request, { robotId: 'default' });
    const arm = armById(services, robotId!);
    arm.requireConnected();
    const { temperatures, temperatureLimits } = arm.read();
    return {
      current_max_Temperature: measured(arm)
        ? Array.from(temperatures, (current, i) => ({ current, max: temperatureLimits[i]! }))
        : null,
    };
  });

  app.post('/temperature/write', async (request, reply) => {
    const { robotId, takeOver, body } = readRequest(request, {
      robotId: 'default',
      takeOver: true,
      body: temperatureWriteRequest,
    });
    const arm = armById(services, robotId!);
    const limits = Float64Array.from(body.maximum_temperature);
    const count = arm.model.joints.length;
    if (limits.length !== count) {
      throw new HttpProblem(
        400,
        `maximum_temperature has ${limits.length} values, but ${arm.name} (robot ${arm.id}) has ${count} joints: ` +
          'give one for each.',
      );
    }
    try {
      await callers.run(reply, takeOver, (caller) => arm.servos.limitTemperatures(limits, caller));
    } catch (error) {
      throw asProblem(error, { route: '/temperature/write', armId: arm.id });
    }
    return { status: 'ok', message: null };
  });

  app.post('/robot/config', async (request): Promise<RobotConfig> => {
    const { robotId } = readRequest(request, { robotId: 'default' });
    const arm = armById(services, robotId!);
    try {
      const facts = arm.remote ? [] : await arm.servos.read();
      return {
        robot_id: arm.id,
        name: arm.name,
        config: arm.remote ? null : configOf(arm, facts),
        gripper_joint_index: arm.model.gripper?.index ?? null,
        servo_ids: arm.model.joints.flatMap(({ servos }) => servos.map(({ id }) => id)),
        resolution: arm.model.joints[0]!.servos[0]!.stepsPerTurn,
      };
    } catch (error) {
      throw asProblem(error, { route: '/robot/config', armId: arm.id });
    }
  });
}
