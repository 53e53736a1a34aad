import type { Logger } from 'pino';
import type { SceneObject, SceneObjects } from '../arm/scene.ts';
import type { Arm, Arms, LoopStatistics } from '../arm/types.ts';
import type { CalibrationService } from '../calibration/calibration-service.ts';
import type { Clock } from '../clock.ts';
import type { Config, HttpConfig } from '../config/schema.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { LogTail } from '../log.ts';
import type { GravityService } from '../mirror/gravity.ts';
import type { MirrorService } from '../mirror/mirror-service.ts';
import type { StreamService } from '../mirror/stream-service.ts';
import type { ChunkService } from '../motion/chunk-service.ts';
import type { JogService } from '../motion/jog-service.ts';
import type { JointGoals } from '../motion/joint-goals.ts';
import type { MoveService } from '../motion/move-service.ts';
import type { StreamedMoves } from '../motion/streamed-moves.ts';
import type { TeleopService } from '../motion/teleop-service.ts';
import type { TorqueSwitch } from '../motion/torque.ts';
import type { NamedTokens } from '../named-tokens.ts';
import type { RecordingService } from '../recording/recording-service.ts';
import type { Roster } from '../roster.ts';
import type { SetupService } from '../setup/setup-service.ts';
import { LONGEST_NAME } from '../sizes.ts';
import { HttpProblem, UNKNOWN } from './errors.ts';
import type { Session } from './guard.ts';
import type { Certificate, Tokens } from './tokens.ts';

/** Direct access to the physics of a simulated arm, beside its servo bus. */
export interface SimulationControl {
  /**
   * A hand of limited force leads joints (rad, by name) within `duration` s, with `stiffness` (Nm/rad, by name); null
   * lets go.
   */
  hand(
    arm: Arm,
    joints: Record<string, number> | null,
    duration: number,
    stiffness: Record<string, number>,
  ): Promise<void>;
  /** State of the physics: joints (rad), tool in the base frame (m, unit quaternion), time (s since the epoch). */
  truth(arm: Arm): Promise<{
    joints: Record<string, number>;
    tool: {
      position: { x: number; y: number; z: number };
      orientation: { x: number; y: number; z: number; w: number };
    };
    time: number;
  }>;
  /** Objects in front of the arms, with their last known poses. */
  readonly scene: SceneObjects;
  /** Current objects in front of an arm, with the forces on them; empty if it has none. */
  objects(arm: Arm): Promise<readonly (SceneObject & ObjectNow)[]>;
  /** A hand of limited force leads an object to a position in the base frame (m), and lets go after `duration` s. */
  leadObject(arm: Arm, object: string, goal: readonly [number, number, number], duration: number): Promise<void>;
  /** Puts the objects in front of an arm back to their initial poses. */
  resetObjects(arm: Arm): Promise<void>;
}

/** State of an object in the physics: m and a unit quaternion in the arm's base frame; forces in N. */
export interface ObjectNow {
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
  readonly touches: readonly { readonly by: string; readonly force: number }[];
}

/** A serial port of this machine. */
export interface SerialDevice {
  readonly path: string;
  /** Link that stays the same after replugging. */
  readonly byId: string | null;
  /** USB ids, four hexadecimal digits. */
  readonly productId: string | null;
  readonly vendor: string | null;
  readonly product: string | null;
  readonly serialNumber: string | null;
  /** Recognised USB adapter; null: unknown. */
  readonly adapter: { readonly name: string } | null;
}

/** The parts of the bridge that HTTP uses. */
export interface HttpServices {
  readonly clock: Clock;
  readonly config: HttpConfig;
  readonly arms: Arms;
  readonly motion: MoveService;
  /** Moves for clients of the phosphobot dialect. */
  readonly streamedMoves: Pick<StreamedMoves, 'moveAbsolute' | 'moveRelative'>;
  readonly joints: JointGoals;
  readonly torque: TorqueSwitch;
  readonly recordings: RecordingService;
  readonly calibration: CalibrationService;
  readonly setup: SetupService;
  readonly mirror: MirrorService;
  readonly gravity: GravityService;
  /** The configuration in use. */
  readonly configuration: () => Config;
  readonly jogging: JogService;
  readonly chunks: ChunkService;
  readonly streams: StreamService;
  readonly teleoperation: TeleopService;
  /** Pose of an arm's base in the world: m; roll, pitch and yaw in rad. */
  readonly mountOf: (arm: Arm) => { readonly xyz: readonly number[]; readonly rpy: readonly number[] };
  readonly log: LogTail;
  /** The other bridges. */
  readonly fleet: Fleet;
  readonly connections: Roster;
  /** Serial ports of this machine. */
  readonly devices: () => Promise<readonly SerialDevice[]>;
  /** Resolves to false if the control loop does not start its next cycle within a second. */
  readonly alive: () => Promise<boolean>;
  readonly loop: () => LoopStatistics;
  /** By kind of question: how many the planner thread has answered, and how long they took, s. */
  readonly planning: () => ReadonlyMap<string, { readonly count: number; readonly time: number }>;
  /** Port for stops only; null while there is none. */
  readonly stopPort: () => number | null;
  /** Called when a session of a page begins, and when it ends early (null). */
  readonly onSession: (key: string, session: Session | null) => void;
  readonly ros: () => {
    readonly enabled: boolean;
    readonly reason: string;
    readonly distro: string | null;
    /** ROS graph of the arms; null while ROS is off. */
    readonly graph: {
      readonly domain: number;
      readonly namespace: string;
      readonly commands: boolean;
      readonly network: boolean;
    } | null;
    /** Current step of the preparation and the estimated time left, s; null if ROS is not being prepared. */
    readonly preparing: { readonly step: string; readonly left: number } | null;
  };
  /** Null when no arm is simulated. */
  readonly simulation: SimulationControl | null;
  readonly logger: Logger;
  readonly version: string;
  /** Tokens that requests must have; null: no token is needed. */
  readonly tokens: Tokens | null;
  /** Named tokens; they may change while the bridge runs. */
  readonly named: NamedTokens;
  /** PEM of the server's certificate and key; null: plain HTTP. */
  readonly certificate: Certificate | null;
}

/** @throws {HttpProblem} 400 with the known ids */
export function armById({ arms, config }: HttpServices, id: number): Arm {
  const arm = arms.all.find((candidate) => candidate.id === id);
  if (arm !== undefined) return arm;
  const text = Number.isSafeInteger(id) ? id : Number(id).toExponential(2);
  if (config.dialect === 'phosphobot') {
    const last = arms.all.at(-1);
    if (id === -1 && last !== undefined) return last;
    const problem = `Robot ID ${text} is out of range. Only ${arms.all.length} robots connected.`;
    throw new HttpProblem(400, problem, {}, UNKNOWN);
  }
  const known = arms.all.map((candidate) => candidate.id).sort((a, b) => a - b);
  throw new HttpProblem(400, `Robot ID ${text} is unknown. Known ids: ${known.join(', ')}.`, {}, UNKNOWN);
}

/** The arm named in the path. @throws {HttpProblem} 404 with the known arms */
export function armByName(services: HttpServices, name: string): Arm {
  return named(services, name, 404);
}

/** The arm named in the query. @throws {HttpProblem} 400 with the known arms */
export function armNamed(services: HttpServices, name: string): Arm {
  return named(services, name, 400);
}

function named({ arms }: HttpServices, name: string, status: 400 | 404): Arm {
  const arm = arms.byName(name);
  if (arm !== undefined) return arm;
  const known = arms.all.map((candidate) => candidate.name).join(', ');
  throw new HttpProblem(status, `Arm "${name.slice(0, LONGEST_NAME)}" is unknown. Known arms: ${known}.`, {}, UNKNOWN);
}

/** The id of the arm that a query names by `arm` or `robot_id`; undefined: by neither. @throws {HttpProblem} 400 */
export function idNamed(
  services: HttpServices,
  { robot_id, arm }: { readonly robot_id?: number | undefined; readonly arm?: string | undefined },
): number | undefined {
  return arm === undefined ? robot_id : armNamed(services, arm).id;
}

/** The arm with an id, or all arms for null. @throws {HttpProblem} 400 with the known ids */
export function armsById(services: HttpServices, id: number | null): readonly Arm[] {
  return id === null ? services.arms.all : [armById(services, id)];
}

/** The same for driving arms: null skips arms that were disconnected on purpose, unless all were. */
export function drivenArmsById(services: HttpServices, id: number | null): readonly Arm[] {
  const arms = armsById(services, id);
  const there = arms.filter((arm) => !arm.detached);
  return id === null && there.length > 0 ? there : arms;
}
