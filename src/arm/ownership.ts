import type { Clock } from '../clock.ts';
import { defineMachine, Running } from '../machine.ts';
import type { ArmSession } from './arm-session.ts';
import { BridgeError, type Caller, type Owner } from './types.ts';

/** Who may drive an arm. */
export const OWNERSHIP = defineMachine({
  name: 'Ownership of an arm',
  states: {
    free: 'the arm has no owner',
    driven: 'a session owns it',
    kept: 'an owner keeps it between sessions',
    keptDriven: 'the owner that keeps it has a session',
    reserved: 'only one owner may take it',
    reservedDriven: 'a session owns it, and only one owner may take it next',
  },
  inputs: {
    claimOwn: 'its present owner, or the one it is reserved for, requests a session',
    claimOther: 'somebody else requests a session',
    claimOver: 'somebody else requests a session with take-over',
    end: 'the session has ended',
    keep: 'the owner of the session keeps the arm',
    letGo: 'the owner no longer keeps it',
    lose: 'the arm is stopped or disconnected',
    reserve: 'from now on only one owner may take it',
    unreserve: 'everybody may take it again',
  },
  effects: {
    refuseOwned: 'refuse the request, naming the owner',
    refuseReserved: 'refuse the request, naming the owner it is reserved for',
    replace: 'end the former session, naming the new owner',
    tellLoss: 'end the session with the reason',
    forgetKeeper: 'no owner keeps the arm',
  },
  initial: 'free',
  table: {
    free: {
      claimOwn: 'driven',
      claimOther: 'driven',
      claimOver: 'driven',
      end: null,
      keep: null,
      letGo: null,
      lose: null,
      reserve: 'reserved',
      unreserve: null,
    },
    driven: {
      claimOwn: ['driven', 'replace'],
      claimOther: ['driven', 'refuseOwned'],
      claimOver: ['driven', 'replace'],
      end: 'free',
      keep: 'keptDriven',
      letGo: null,
      lose: ['free', 'tellLoss'],
      reserve: 'reservedDriven',
      unreserve: null,
    },
    kept: {
      claimOwn: 'keptDriven',
      claimOther: ['kept', 'refuseOwned'],
      claimOver: ['driven', 'forgetKeeper'],
      end: null,
      keep: null,
      letGo: ['free', 'forgetKeeper'],
      lose: ['free', 'forgetKeeper'],
      reserve: ['reserved', 'forgetKeeper'],
      unreserve: null,
    },
    keptDriven: {
      claimOwn: ['keptDriven', 'replace'],
      claimOther: ['keptDriven', 'refuseOwned'],
      claimOver: ['driven', 'forgetKeeper', 'replace'],
      end: 'kept',
      keep: null,
      letGo: ['driven', 'forgetKeeper'],
      lose: ['free', 'forgetKeeper', 'tellLoss'],
      reserve: ['reservedDriven', 'forgetKeeper'],
      unreserve: null,
    },
    reserved: {
      claimOwn: 'reservedDriven',
      claimOther: ['reserved', 'refuseReserved'],
      claimOver: ['reserved', 'refuseReserved'],
      end: null,
      keep: null,
      letGo: null,
      lose: null,
      reserve: null,
      unreserve: 'free',
    },
    reservedDriven: {
      claimOwn: ['reservedDriven', 'replace'],
      claimOther: ['reservedDriven', 'refuseReserved'],
      claimOver: ['reservedDriven', 'refuseReserved'],
      end: 'reserved',
      keep: null,
      letGo: null,
      lose: ['reserved', 'tellLoss'],
      reserve: null,
      unreserve: 'driven',
    },
  },
});

type Input = keyof typeof OWNERSHIP.inputs;

/** A time of the day for people. @param time s since the epoch */
export function timeOf(time: number): string {
  return `${new Date(time * 1000).toISOString().slice(11, 19)} UTC`;
}

/** The refusal for an arm that has another owner. */
export function ownedBy(arm: { readonly id: number; readonly name: string }, { owner, since }: Holding): BridgeError {
  const message = `Arm ${arm.name} is driven by ${owner.name}, since ${timeOf(since)}.`;
  return new BridgeError('owned', message, { arm, remedy: 'take_over' });
}

/** Why an owner no longer has its arm. */
export interface Loss {
  readonly reason: 'superseded' | 'taken_over' | 'stopped' | 'disconnected' | 'unattended';
  /** Human-readable; follows "Motion of arm X ended: ". */
  readonly message: string;
}

/** Owner of an arm, and since when. */
export interface Holding {
  readonly owner: Owner;
  /** Seconds since the epoch. */
  readonly since: number;
}

/** Ownership of one arm. The table above decides; this class remembers the owners. */
export class Ownership {
  readonly #arm: { readonly id: number; readonly name: string; readonly clock: Pick<Clock, 'wall'> };
  readonly #machine = new Running(OWNERSHIP);
  #session: ArmSession | null = null;
  #keeper: Owner | null = null;
  #reserved: Owner | null = null;
  /** Since when the present owner has had it without a pause, s since the epoch. */
  #since = 0;

  constructor(arm: { readonly id: number; readonly name: string; readonly clock: Pick<Clock, 'wall'> }) {
    this.#arm = arm;
  }

  /** Null while the arm is free. */
  get owner(): Owner | null {
    return this.#session?.owner ?? this.#keeper;
  }

  /** Null while the arm is free. */
  get held(): Holding | null {
    const { owner } = this;
    return owner === null ? null : { owner, since: this.#since };
  }

  /** Who keeps the arm between sessions; null when nobody does. */
  get keeper(): Owner | null {
    return this.#keeper;
  }

  /** Whether the owner's session lowers the arm. */
  get lowers(): boolean {
    return this.#session?.lowers === true;
  }

  /** Whether a person leads the arm during the owner's session. */
  get led(): boolean {
    return this.#session?.led === true;
  }

  /** What the owner's session is about to do to the arm's torque; null when torque stays as it is. */
  get headsFor(): ArmSession['headsFor'] {
    return this.#session?.headsFor ?? null;
  }

  has(session: ArmSession): boolean {
    return this.#session === session;
  }

  /** @throws {BridgeError} if `claim` would */
  requireClaimable(caller: Caller): void {
    const { effects } = OWNERSHIP.table[this.#machine.state][this.#claimOf(caller)];
    if (effects.includes('refuseReserved')) {
      throw new BridgeError(
        'stopped',
        `Arm ${this.#arm.name} takes no more motions: it is kept for ${this.#reserved!.name}.`,
        { arm: this.#arm },
      );
    }
    if (effects.includes('refuseOwned')) throw ownedBy(this.#arm, this.held!);
  }

  #claimOf({ owner, takeOver }: Caller): 'claimOwn' | 'claimOver' | 'claimOther' {
    const present = this.#reserved ?? this.owner;
    if (present === null || present.key === owner.key) return 'claimOwn';
    return takeOver ? 'claimOver' : 'claimOther';
  }

  /** Gives the arm to a session. The previous one is notified. @throws {BridgeError} owned, or stopped when reserved */
  claim(caller: Caller, session: () => ArmSession): ArmSession {
    this.requireClaimable(caller);
    const { owner } = caller;
    const before = this.#session;
    const continues = this.owner?.key === owner.key;
    const effects = this.#put(this.#claimOf(caller));
    if (effects.includes('forgetKeeper')) this.#keeper = null;
    const next = session();
    this.#session = next;
    if (!continues) this.#since = this.#arm.clock.wall();
    if (effects.includes('replace')) {
      const same = before!.owner.key === owner.key;
      before!.lose(
        same
          ? { reason: 'superseded', message: 'superseded by a newer request of the same client' }
          : { reason: 'taken_over', message: `taken over by ${owner.name}` },
      );
    }
    return next;
  }

  /** Drops a session that has lost the arm. */
  endLost(): void {
    if (this.#session !== null && this.#session.lost !== null) this.end(this.#session);
  }

  /** A session releases the arm. */
  end(session: ArmSession): void {
    if (this.#session !== session) return;
    this.#session = null;
    this.#put('end');
  }

  /** The present session's owner keeps the arm between sessions too, until it lets go or someone takes the arm over. */
  keep(): void {
    if (this.#session === null) return;
    this.#keeper = this.#session.owner;
    this.#put('keep');
  }

  letGo(): void {
    if (this.#put('letGo').includes('forgetKeeper')) this.#keeper = null;
  }

  /** Frees the arm; its session is told why. */
  lose(loss: Loss): void {
    const session = this.#session;
    const effects = this.#put('lose');
    this.#session = null;
    if (effects.includes('forgetKeeper')) this.#keeper = null;
    if (effects.includes('tellLoss')) session!.lose(loss);
  }

  /**
   * Ends a session older than this epoch and tells it why. The keeper of the arm keeps it.
   * @returns whether there was such a session
   */
  loseBefore(epoch: number, loss: Loss): boolean {
    const session = this.#session;
    if (session === null || ((epoch - session.epoch) | 0) <= 0) return false;
    this.end(session);
    session.lose(loss);
    return true;
  }

  /** From now on nobody else can take the arm, not even by take-over. */
  reserve(owner: Owner): void {
    this.#reserved = owner;
    if (this.#put('reserve').includes('forgetKeeper')) this.#keeper = null;
  }

  /** Others can take the arm again, unless it is now reserved for a different owner. */
  unreserve(owner: Owner): void {
    if (this.#reserved?.key !== owner.key) return;
    this.#reserved = null;
    this.#put('unreserve');
  }

  #put(input: Input): readonly (keyof typeof OWNERSHIP.effects)[] {
    return this.#machine.put(input, 0);
  }
}
