import type { LineOptions, SimFault } from '../src/sim/servo-line.ts';

/** An arm of a run. */
export interface ScriptArm {
  readonly name: string;
  readonly model: string;
  readonly variant?: string;
  /** True mass in its gripper, kg. */
  readonly payload?: number;
  /** Homing offsets of servos by id, counts: where the seam of the encoder is in a joint's range follows from it. */
  readonly homing?: Readonly<Record<number, number>>;
  /** False: nobody has said where its joints are at zero. */
  readonly calibrated?: boolean;
  /** Play of its gears, rad. */
  readonly backlash?: number;
}

/** What a run takes place with. */
export interface Layout {
  readonly arms: readonly ScriptArm[];
  readonly pairs: readonly { readonly leader: string; readonly follower: string; readonly autostart?: boolean }[];
  /** `light` knows no contacts. */
  readonly physics: 'light' | 'mujoco';
  /** Of the control loop, Hz. */
  readonly rate: number;
  readonly line: LineOptions;
}

/** One thing that happens in a run, at an instant after its start (s). */
export type Step = { readonly at: number } & Deed;

export type Deed =
  /** A person asks by HTTP, and hangs up after `hangUp` s where that is given. */
  | {
      readonly do: 'ask';
      readonly method?: 'GET' | 'POST' | 'DELETE';
      readonly url: string;
      readonly body?: object;
      /** Name of the client; left out: all are one. */
      readonly who?: string;
      readonly hangUp?: number;
      /** The body tells of an observation, `observed`, that was made so long before, s. */
      readonly age?: number;
    }
  /** A controller of ROS leads joints (rad) of an arm to angles within `over` s. */
  | {
      readonly do: 'follow';
      readonly arm: string;
      readonly joints: Readonly<Record<string, number>>;
      readonly over: number;
      readonly takeOver: boolean;
    }
  /** Another one sends the gripper to an opening, 0 closed .. 1 open. */
  | {
      readonly do: 'grip';
      readonly arm: string;
      readonly opening: number;
      /** rad/s, and Nm. */
      readonly velocity: number | null;
      readonly torque: number | null;
      readonly takeOver: boolean;
    }
  /**
   * A program streams setpoints of joints for `over` s, one each `every` s: they swing by `swing` rad about angles, at
   * `turn` rad/s, and leap by `leap` rad at times.
   */
  | {
      readonly do: 'stream';
      readonly arm: string;
      readonly joints: Readonly<Record<string, number>>;
      readonly over: number;
      readonly every: number;
      readonly swing: number;
      readonly turn: number;
      readonly leap: number;
      /** After a leap the arm is to approach slowly. */
      readonly reapproach: boolean;
      readonly takeOver: boolean;
    }
  /** A hand leads joints (rad) of an arm within `over` s, or lets go of all. */
  | {
      readonly do: 'hand';
      readonly arm: string;
      readonly joints: Readonly<Record<string, number>> | null;
      readonly over: number;
    }
  | { readonly do: 'fault'; readonly arm: string; readonly fault: SimFault }
  /** Threads get no processor for so long, s; `all`: the computer stands still, and the servos go on. */
  | { readonly do: 'pause'; readonly thread: 'main' | 'control' | 'all'; readonly for: number }
  /** The control thread fails. */
  | { readonly do: 'crash' }
  /** The process is killed, is started, is asked to end. */
  | { readonly do: 'kill' | 'start' | 'end' }
  /** The system clock is set by so much, s. */
  | { readonly do: 'clock'; readonly by: number };

/** A run that can be repeated: everything that happens in it, and the seed of what chance has in it. */
export interface Script {
  /** What it shows, for people. */
  readonly name: string;
  readonly seed: number;
  readonly layout: Layout;
  readonly steps: readonly Step[];
  /** Time in which the steps are done, s; after it everything is mended, and the arms are to come back. */
  readonly length: number;
}

/** Two arms of a model, of which the second one follows. */
export function pairOf(model: string, physics: Layout['physics'] = 'light', leaderVariant = 'follower'): Layout {
  return {
    arms: [
      { name: 'leader', model, variant: leaderVariant },
      { name: 'follower', model },
    ],
    pairs: [{ leader: 'leader', follower: 'follower' }],
    physics,
    rate: 200,
    line: { baudRate: 1_000_000, interval: 125e-6 },
  };
}
