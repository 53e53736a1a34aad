import { type FloatingSource, type SetpointSource, SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';
import { Trajectory } from '../../../src/rt/sources/trajectory.ts';

/** A move of all joints to these angles, rad. */
export function moveTo(...goal: readonly number[]): Trajectory {
  const full = (value: number): Float64Array => new Float64Array(goal.length).fill(value);
  return new Trajectory(Float64Array.from(goal), {
    velocity: full(1.5),
    acceleration: full(6),
    jerk: full(Number.POSITIVE_INFINITY),
  });
}

/** A source that asks in each cycle for what a test says. */
export class Asking implements SetpointSource {
  readonly limits: 'move' | 'mirror';
  readonly state: 'moving' | 'mirroring';
  status: SourceStatus = SourceStatus.running;
  /** Where the joints are to be, rad; null: where they are. */
  wanted: readonly number[] | null = null;
  /** What it was begun with. */
  begun: { setpoints: number[]; velocities: number[]; now: number; accelerations: number[] } | null = null;
  /** What it was asked with, by cycle. */
  readonly asked: { readonly now: number; readonly dt: number; readonly last: number[] }[] = [];

  constructor(limits: 'move' | 'mirror' = 'mirror', wanted: readonly number[] | null = null) {
    this.limits = limits;
    this.state = limits === 'move' ? 'moving' : 'mirroring';
    this.wanted = wanted;
  }

  begin(setpoints: Float64Array, velocities: Float64Array, now: number, accelerations: Float64Array): void {
    this.begun = { setpoints: [...setpoints], velocities: [...velocities], now, accelerations: [...accelerations] };
  }

  next(now: number, dt: number, out: Float64Array): SourceStatus {
    this.asked.push({ now, dt, last: [...out] });
    if (this.wanted !== null) out.set(this.wanted);
    return this.status;
  }
}

/** An arm that floats, as long as the test says. */
export class Floating implements FloatingSource {
  readonly state = 'floating';
  readonly limits = 'move';
  readonly support: Float64Array;
  readonly gains: Float64Array | null;
  /** Nm by joint. */
  feedback: Float64Array | null = null;
  over = false;

  constructor(support: readonly number[], gains: readonly number[] | null = null) {
    this.support = Float64Array.from(support);
    this.gains = gains === null ? null : Float64Array.from(gains);
  }

  begin(): void {}

  next(): SourceStatus {
    return this.over ? SourceStatus.done : SourceStatus.running;
  }
}
