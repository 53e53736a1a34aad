import type { Channel } from '../live/channel.ts';
import type { Route } from '../route.ts';
import { armRoutes } from './arms.ts';
import { askRoutes } from './asks.ts';
import { bridgeRoutes } from './bridge.ts';
import { calibrationRoutes } from './calibration.ts';
import { chunkRoutes } from './chunks.ts';
import { connectionRoutes } from './connections.ts';
import { episodeRoutes } from './episodes.ts';
import { eventRoutes } from './events.ts';
import { fleetRoutes } from './fleet.ts';
import { jointRoutes } from './joints.ts';
import { liveChannel, liveRoutes } from './live.ts';
import { mirrorRoutes } from './mirror.ts';
import { motionRoutes } from './motions.ts';
import { moveRoutes } from './moves.ts';
import { pairRoutes } from './pairs.ts';
import { recordingRoutes } from './recording.ts';
import { recordingsRoutes } from './recordings.ts';
import { servoRoutes } from './servos.ts';
import { sessionRoutes } from './session.ts';
import { setupRoutes } from './setup.ts';
import { simulationRoutes } from './simulation.ts';
import { statusRoutes } from './status.ts';
import { stopRoutes } from './stop.ts';
import { teleopChannel, teleopRoutes } from './teleop.ts';
import { teleopDatagramRoutes } from './teleop-datagrams.ts';

/** All routes, in the order of the descriptions. */
export const ROUTES: readonly Route[] = [
  ...moveRoutes,
  ...teleopRoutes,
  ...teleopDatagramRoutes,
  ...mirrorRoutes,
  ...stopRoutes,
  ...jointRoutes,
  ...servoRoutes,
  ...connectionRoutes,
  ...recordingRoutes,
  ...setupRoutes,
  ...calibrationRoutes,
  ...episodeRoutes,
  ...recordingsRoutes,
  ...armRoutes,
  ...askRoutes,
  ...motionRoutes,
  ...chunkRoutes,
  ...statusRoutes,
  ...eventRoutes,
  ...bridgeRoutes,
  ...fleetRoutes,
  ...pairRoutes,
  ...liveRoutes,
  ...sessionRoutes,
  ...simulationRoutes,
];

/** All WebSockets. */
export const CHANNELS: readonly Channel[] = [liveChannel, teleopChannel];
