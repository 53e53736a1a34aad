import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import type { Arm } from '../../arm/types.ts';
import type { BridgeStatus } from '../schemas.ts';
import type { HttpServices } from '../services.ts';
import { finite, loopView, mirrorView } from '../views.ts';

/** Age of what happened at `time`; zero stands for "never" in what the control loop writes. Both are in s since the epoch. */
function ageOf(time: number, now: number): number | null {
  return time === 0 ? null : Math.max(0, now - time);
}

function temperatureOf(arm: Arm): BridgeStatus['robot_status'][number]['temperature'] {
  if (arm.simulated || arm.remote) return null;
  const { detailTime, temperatures, temperatureLimits } = arm.read();
  if (detailTime === 0) return null;
  return Array.from(temperatures, (current, i) => ({ current: finite(current), max: temperatureLimits[i]! }));
}

function armStatusOf(arm: Arm, now: number): BridgeStatus['arms'][number] {
  const snapshot = arm.read();
  const { state, torque, sampleTime } = snapshot;
  const known = !arm.remote && snapshot.detailTime > 0;
  return {
    id: arm.id,
    name: arm.name,
    model: arm.model.name,
    state,
    owner: arm.owner?.name ?? null,
    initialised: arm.initialised,
    torque,
    speed_scale: arm.speedScale,
    reason: arm.reason,
    sample_age: ageOf(sampleTime, now),
    bus: {
      discarded: snapshot.discarded,
      round_trip: { p50: snapshot.roundTripMedian, p99: snapshot.roundTripLongest },
    },
    servos: arm.model.joints.map(({ name }, i) => ({
      joint: name,
      reply_age: ageOf(snapshot.heardTimes[i]!, now),
      lost: snapshot.lostReplies[i]!,
      alarms: snapshot.alarms[i]!,
      temperature: known ? finite(snapshot.temperatures[i]!) : null,
      voltage: known ? finite(snapshot.voltages[i]!) : null,
    })),
  };
}

/** GET /status. */
export function statusRoutes(app: FastifyInstance, services: HttpServices): void {
  app.get('/status', async (): Promise<BridgeStatus> => {
    const arms = services.arms.all;
    const bound = app.server.address();
    const now = services.clock.wall();
    return {
      status: 'ok',
      name: hostname(),
      robots: arms.map((arm) => arm.model.name),
      robot_status: arms.map((arm) => ({
        name: arm.model.name,
        robot_type: 'manipulator',
        device_name: arm.simulated ? null : arm.bus,
        temperature: temperatureOf(arm),
      })),
      // Outside the scope of the bridge; the fields stay for clients that read them.
      cameras: {
        cameras_status: [],
        is_stereo_camera_available: false,
        realsense_available: false,
        video_cameras_ids: [],
      },
      version_id: services.version,
      is_recording: services.recordings.active,
      ai_running_status: 'stopped',
      leader_follower_status: services.mirror.status().active,
      server_ip: bound !== null && typeof bound === 'object' ? bound.address : services.config.host,
      server_port: bound !== null && typeof bound === 'object' ? bound.port : services.config.port,
      dialect: services.config.dialect,
      arms: arms.map((arm) => armStatusOf(arm, now)),
      mirror: mirrorView(services),
      ros: services.ros(),
      loop: loopView(services),
    };
  });
}
