import type { Clock } from '../clock.ts';
import { GROUPS, type Group, type Joints, meet } from '../rt/joint/joint-groups.ts';
import type { ArmSession } from './arm-session.ts';
import { type Holding, type Loss, Ownership } from './ownership.ts';
import type { Caller, Owner } from './types.ts';

/**
 * Owners of one arm: its own joints and its gripper may have different owners. A session of all joints owns both, and
 * loses both when another caller takes one of them.
 */
export class GroupOwners {
  readonly #groups: Readonly<Record<Group, Ownership>>;

  constructor(arm: { readonly id: number; readonly name: string; readonly clock: Pick<Clock, 'wall'> }) {
    this.#groups = { arm: new Ownership(arm), gripper: new Ownership(arm) };
  }

  /** Owner of any of these joints; null while they are free. */
  owner(joints: Joints): Owner | null {
    for (const ownership of this.#of(joints)) if (ownership.owner !== null) return ownership.owner;
    return null;
  }

  /** Owner of any of these joints, and since when. @param but key of an owner to ignore */
  held(joints: Joints, but: string | null = null): Holding | null {
    for (const { held } of this.#of(joints)) if (held !== null && held.owner.key !== but) return held;
    return null;
  }

  /** Who keeps the arm between sessions; null when nobody does. */
  get keeper(): Owner | null {
    return this.#groups.arm.keeper ?? this.#groups.gripper.keeper;
  }

  /** Whether the owner's session lowers the arm. */
  get lowers(): boolean {
    return this.#groups.arm.lowers;
  }

  /** Whether a person leads the arm during the owner's session. */
  get led(): boolean {
    return this.#groups.arm.led;
  }

  /** What the owner's session is about to do to the arm's torque; null when torque stays as it is. */
  get headsFor(): ArmSession['headsFor'] {
    return this.#groups.arm.headsFor;
  }

  has(session: ArmSession): boolean {
    return this.#of(session.joints).every((ownership) => ownership.has(session));
  }

  /** @throws {BridgeError} owned, or stopped when reserved: if `claim` would */
  requireClaimable(caller: Caller, joints: Joints): void {
    for (const ownership of this.#of(joints)) ownership.requireClaimable(caller);
  }

  /**
   * Gives joints to a session, all or none. Previous sessions are notified.
   * @throws {BridgeError} owned, or stopped when reserved
   */
  claim(caller: Caller, joints: Joints, make: () => ArmSession): ArmSession {
    this.requireClaimable(caller, joints);
    let session: ArmSession | null = null;
    const once = (): ArmSession => {
      session ??= make();
      return session;
    };
    for (const ownership of this.#of(joints)) ownership.claim(caller, once);
    // A session that lost some of its joints has lost them all.
    for (const ownership of this.#of('all')) ownership.endLost();
    return once();
  }

  end(session: ArmSession): void {
    for (const ownership of this.#of('all')) ownership.end(session);
  }

  keep(): void {
    for (const ownership of this.#of('all')) ownership.keep();
  }

  letGo(): void {
    for (const ownership of this.#of('all')) ownership.letGo();
  }

  lose(loss: Loss): void {
    for (const ownership of this.#of('all')) ownership.lose(loss);
  }

  loseBefore(epoch: number, loss: Loss): boolean {
    return this.#of('all').filter((ownership) => ownership.loseBefore(epoch, loss)).length > 0;
  }

  reserve(owner: Owner): void {
    for (const ownership of this.#of('all')) ownership.reserve(owner);
  }

  unreserve(owner: Owner): void {
    for (const ownership of this.#of('all')) ownership.unreserve(owner);
  }

  #of(joints: Joints): readonly Ownership[] {
    return GROUPS.filter((group) => meet(group, joints)).map((group) => this.#groups[group]);
  }
}
