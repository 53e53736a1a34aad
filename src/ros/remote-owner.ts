import type { Arm } from '../arm/types.ts';
import type { Timer } from '../clock.ts';
import type { StreamService } from '../mirror/stream-service.ts';

/** A status arrives slightly late, so another owner counts only after this long, s. */
const LASTING = 0.5;
/** If the machine has not begun to follow by then, it never will, s. */
const BEGINNING = 2;

/** The fields read from arm_bridge/msg/ArmStatus. */
export interface OwnerStatus {
  readonly state: string;
  readonly holding: boolean;
  /** Who drives the arm, human-readable; empty: nobody. */
  readonly owner: string;
  readonly reason: string;
  /** Why its machine refuses motions without `uncalibrated`, which a stream cannot send; empty when it does not. */
  readonly unplaced: string;
}

/**
 * Follows the status from the machine that owns the bus of a remote arm. An arm that is stopped, limp or disconnected
 * there is not driven from here. Whatever drives it from here ends, with the reason given by that machine.
 */
export class RemoteOwner {
  readonly #arm: Arm;
  readonly #streams: StreamService;
  readonly #self: string;
  readonly #timer: Timer;
  /** Another owner that drives it there; empty: none. */
  #other = '';
  /** It follows the setpoints from here. */
  #follows = false;
  /** What was told last; null: nothing yet. */
  #last: OwnerStatus | null = null;
  /** Why nobody can know whose arm answers; empty: one program alone tells of it. */
  #ambiguous = '';

  /** @param self name of the owner while the arm follows the setpoints of this bridge */
  constructor(arm: Arm, streams: StreamService, self: string) {
    this.#arm = arm;
    this.#streams = streams;
    this.#self = self;
    this.#timer = arm.clock.timer(() => {
      if (this.#other !== '') this.#end(`${this.#other} drives it on its own machine`);
    }, true);
    const begun = arm.clock.timer(() => {
      if (!this.#follows) this.#end('the machine that owns its bus does not follow');
    }, true);
    arm.onState((state) => {
      const driven = state === 'moving' || state === 'mirroring';
      if (driven && this.#last !== null) begun.start(BEGINNING);
      else begun.cancel();
    });
  }

  /** Why what is told of this arm counts for nothing, human-readable; empty when it counts. */
  get ambiguous(): string {
    return this.#ambiguous;
  }

  /**
   * Several programs tell of an arm of this name, or no longer: meanwhile it is not driven from here.
   * @param why human-readable; empty: one program alone tells of it
   */
  set ambiguous(why: string) {
    const was = this.#ambiguous;
    this.#ambiguous = why;
    this.#arm.unreachable = why;
    if (why !== '') {
      this.#timer.cancel();
      this.#follows = false;
      this.#other = '';
      this.#streams.remoteOwner(this.#arm, true, why, '');
    } else if (was !== '') {
      if (this.#last === null) this.#streams.remoteOwner(this.#arm, true, '', '');
      else this.told(this.#last);
    }
  }

  told(status: OwnerStatus): void {
    this.#last = status;
    if (this.#ambiguous !== '') return;
    const { state, holding, owner, reason, unplaced } = status;
    const why = reason === '' ? '' : ` (${reason})`;
    const blocked =
      state === 'stopped'
        ? `it is stopped on its own machine${why}: reset it there`
        : state === 'disconnected'
          ? `it is disconnected on its own machine${why}`
          : unplaced !== ''
            ? `its own machine does not move it: ${unplaced}`
            : '';
    const followed = this.#follows;
    this.#follows = owner === this.#self;
    this.#other = this.#follows ? '' : owner;
    this.#streams.remoteOwner(this.#arm, holding, blocked, this.#other);
    this.#timer.cancel();
    if (this.#follows) return;
    if (followed && this.#other !== '') this.#end(`${this.#other} drives it on its own machine`);
    else if (followed) this.#end('the machine that owns its bus does not follow any more');
    else if (this.#other !== '') this.#timer.start(LASTING);
  }

  #end(message: string): void {
    if (this.#arm.activity !== null) this.#arm.letGoByOwner(message);
    // A new motion from here that starts meanwhile is ended too.
    if (this.#other !== '') this.#timer.start(LASTING);
  }
}
