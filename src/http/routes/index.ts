import type { Channel } from '../live/channel.ts';
import type { Route } from '../route.ts';
import { armRoutes } from './arms.ts';
import { bridgeRoutes } from './bridge.ts';
import { calibrationRoutes } from './calibration.ts';
import { connectionRoutes } from './connections.ts';
import { jointRoutes } from './joints.ts';
import { liveChannel, liveRoutes } from './live.ts';
import { mirrorRoutes } from './mirror.ts';
import { moveRoutes } from './moves.ts';
import { recordingRoutes } from './recording.ts';
import { servoRoutes } from './servos.ts';
import { sessionRoutes } from './session.ts';
import { simulationRoutes } from './simulation.ts';
import { statusRoutes } from './status.ts';
import { stopRoutes } from './stop.ts';
import { teleopChannel, teleopRoutes } from './teleop.ts';

/** All routes, in the order in which they are described. */
export const ROUTES: readonly Route[] = [
  ...moveRoutes,
  ...teleopRoutes,
  ...mirrorRoutes,
  ...stopRoutes,
  ...jointRoutes,
  ...servoRoutes,
  ...connectionRoutes,
  ...recordingRoutes,
  ...calibrationRoutes,
  ...armRoutes,
  ...statusRoutes,
  ...bridgeRoutes,
  ...liveRoutes,
  ...sessionRoutes,
  ...simulationRoutes,
];

/** All WebSockets. */
export const CHANNELS: readonly Channel[] = [liveChannel, teleopChannel];
