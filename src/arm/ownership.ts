import { defineMachine, Running } from '../machine.ts';
import type { ArmSession } from './arm-session.ts';
import { BridgeError, type Caller, type Owner } from './types.ts';

/** Who may drive an arm. */
export const OWNERSHIP = defineMachine({
  name: 'ownership',
  states: {
    free: 'nobody has the arm',
    driven: 'a session has it',
    kept: 'somebody keeps it between sessions',
    kept_driven: 'who keeps it has a session',
    reserved: 'one owner alone may take it',
    reserved_driven: 'a session has it, and one owner alone may take it next',
  },
  inputs: {
    claim_own: 'its present owner, or the one it is reserved for, asks for a session',
    claim_other: 'somebody else asks for a session',
    claim_over: 'somebody else asks for it, and to take it over',
    end: 'the session has ended',
    keep: 'the owner of the session keeps the arm',
    let_go: 'nobody keeps it any more',
    lose: 'the arm is stopped or disconnected',
    reserve: 'from now on one owner alone may take it',
    unreserve: 'everybody may ask again',
  },
  effects: {
    refuse_owned: 'the one who asks is told who has the arm',
    refuse_reserved: 'the one who asks is told for whom it is reserved',
    replace: 'the session before is told who has the arm now',
    tell_loss: 'the session is told why the arm is lost',
    forget_keeper: 'nobody keeps the arm',
  },
  initial: 'free',
  table: {
    free: {
      claim_own: 'driven',
      claim_other: 'driven',
      claim_over: 'driven',
      end: null,
      keep: null,
      let_go: null,
      lose: null,
      reserve: 'reserved',
      unreserve: null,
    },
    driven: {
      claim_own: ['driven', 'replace'],
      claim_other: ['driven', 'refuse_owned'],
      claim_over: ['driven', 'replace'],
      end: 'free',
      keep: 'kept_driven',
      let_go: null,
      lose: ['free', 'tell_loss'],
      reserve: 'reserved_driven',
      unreserve: null,
    },
    kept: {
      claim_own: 'kept_driven',
      claim_other: ['kept', 'refuse_owned'],
      claim_over: ['driven', 'forget_keeper'],
      end: null,
      keep: null,
      let_go: ['free', 'forget_keeper'],
      lose: ['free', 'forget_keeper'],
      reserve: ['reserved', 'forget_keeper'],
      unreserve: null,
    },
    kept_driven: {
      claim_own: ['kept_driven', 'replace'],
      claim_other: ['kept_driven', 'refuse_owned'],
      claim_over: ['driven', 'forget_keeper', 'replace'],
      end: 'kept',
      keep: null,
      let_go: ['driven', 'forget_keeper'],
      lose: ['free', 'forget_keeper', 'tell_loss'],
      reserve: ['reserved_driven', 'forget_keeper'],
      unreserve: null,
    },
    reserved: {
      claim_own: 'reserved_driven',
      claim_other: ['reserved', 'refuse_reserved'],
      claim_over: ['reserved', 'refuse_reserved'],
      end: null,
      keep: null,
      let_go: null,
      lose: null,
      reserve: null,
      unreserve: 'free',
    },
    reserved_driven: {
      claim_own: ['reserved_driven', 'replace'],
      claim_other: ['reserved_driven', 'refuse_reserved'],
      claim_over: ['reserved_driven', 'refuse_reserved'],
      end: 'reserved',
      keep: null,
      let_go: null,
      lose: ['reserved', 'tell_loss'],
      reserve: null,
      unreserve: 'driven',
    },
  },
});

type Input = keyof typeof OWNERSHIP.inputs;

/** Why an owner no longer has its arm. */
export interface Loss {
  readonly reason: 'superseded' | 'taken_over' | 'stopped' | 'disconnected';
  /** For people, to follow "Motion of arm X ended: ". */
  readonly message: string;
}

/** Who has one arm. It decides by the table above and keeps the names that the table does not. */
export class Ownership {
  readonly #arm: { readonly id: number; readonly name: string };
  readonly #machine = new Running(OWNERSHIP);
  #session: ArmSession | null = null;
  #keeper: Owner | null = null;
  #reserved: Owner | null = null;

  constructor(arm: { readonly id: number; readonly name: string }) {
    this.#arm = arm;
  }

  /** Null while the arm is nobody's. */
  get owner(): Owner | null {
    return this.#session?.owner ?? this.#keeper;
  }

  has(session: ArmSession): boolean {
    return this.#session === session;
  }

  /** Gives the arm to a session. The one before it is told. @throws {BridgeError} owned, or stopped when it is reserved */
  claim({ owner, takeOver }: Caller, session: () => ArmSession): ArmSession {
    const present = this.#reserved ?? this.owner;
    const own = present === null || present.key === owner.key;
    const before = this.#session;
    const effects = this.#put(own ? 'claim_own' : takeOver ? 'claim_over' : 'claim_other');
    if (effects.includes('refuse_reserved')) {
      throw new BridgeError(
        'stopped',
        `Arm ${this.#arm.name} takes no more motions: it is kept for ${this.#reserved!.name}.`,
        { arm: this.#arm },
      );
    }
    if (effects.includes('refuse_owned')) {
      throw new BridgeError('owned', `Arm ${this.#arm.name} is driven by ${this.owner!.name}.`, {
        arm: this.#arm,
        remedy: 'take_over',
      });
    }
    if (effects.includes('forget_keeper')) this.#keeper = null;
    const next = session();
    this.#session = next;
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

  /** A session gives the arm back. */
  end(session: ArmSession): void {
    if (this.#session !== session) return;
    this.#session = null;
    this.#put('end');
  }

  /** The owner of the present session keeps the arm between sessions too, until it lets go or somebody takes it over. */
  keep(): void {
    if (this.#session === null) return;
    this.#keeper = this.#session.owner;
    this.#put('keep');
  }

  letGo(): void {
    if (this.#put('let_go').includes('forget_keeper')) this.#keeper = null;
  }

  /** The arm is nobody's from now on; its session is told why. */
  lose(loss: Loss): void {
    const session = this.#session;
    const effects = this.#put('lose');
    this.#session = null;
    if (effects.includes('forget_keeper')) this.#keeper = null;
    if (effects.includes('tell_loss')) session!.lose(loss);
  }

  /** From now on nobody else can take the arm, by take-over neither. */
  reserve(owner: Owner): void {
    this.#reserved = owner;
    if (this.#put('reserve').includes('forget_keeper')) this.#keeper = null;
  }

  /** Others can take the arm again, unless it is kept for somebody else meanwhile. */
  unreserve(owner: Owner): void {
    if (this.#reserved?.key !== owner.key) return;
    this.#reserved = null;
    this.#put('unreserve');
  }

  #put(input: Input): readonly (keyof typeof OWNERSHIP.effects)[] {
    return this.#machine.put(input, 0);
  }
}
