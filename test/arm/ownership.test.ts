import { expect, test } from 'vitest';
import type { ArmSession } from '../../src/arm/arm-session.ts';
import { OWNERSHIP, Ownership } from '../../src/arm/ownership.ts';
import { BridgeError, type Caller, type Owner } from '../../src/arm/types.ts';

const ARM = { id: 1, name: 'arm', clock: { wall: () => 1_767_323_044 } };
const [A, B] = ['a', 'b'].map((key): Owner => ({ key, name: `owner ${key}` })) as [Owner, Owner];

type State = keyof typeof OWNERSHIP.states;
type Input = keyof typeof OWNERSHIP.inputs;

/** A session as far as ownership knows one. */
class Holder {
  loss = '';
  constructor(readonly owner: Owner) {}
  lose({ message }: { readonly message: string }): void {
    this.loss = message;
  }
}

/** An ownership that has been brought into a state, in which A is the one who has the arm, or for whom it is kept. */
function brought(state: State) {
  const ownership = new Ownership(ARM);
  let holder: Holder | null = null;
  const claim = (owner: Owner, takeOver = false): Holder => {
    const caller: Caller = { owner, takeOver };
    const next = new Holder(owner);
    ownership.claim(caller, () => next as unknown as ArmSession);
    holder = next;
    return next;
  };
  if (state !== 'free' && state !== 'reserved') claim(A);
  if (state === 'kept' || state === 'keptDriven') ownership.keep();
  if (state === 'kept') ownership.end(holder as unknown as ArmSession);
  if (state.startsWith('reserved')) ownership.reserve(A);
  return { ownership, claim, before: holder as Holder | null };
}

test.each(Object.keys(OWNERSHIP.states) as State[])('of an arm that is %s the table holds for every input', (state) => {
  for (const input of Object.keys(OWNERSHIP.inputs) as Input[]) {
    const { to, effects } = OWNERSHIP.table[state][input];
    const { ownership, claim, before } = brought(state);
    const put: Record<Input, () => void> = {
      claimOwn: () => claim(A),
      claimOther: () => claim(B),
      claimOver: () => claim(B, true),
      end: () => before && ownership.end(before as unknown as ArmSession),
      keep: () => ownership.keep(),
      letGo: () => ownership.letGo(),
      lose: () => ownership.lose({ reason: 'stopped', message: 'stopped (test)' }),
      reserve: () => ownership.reserve(A),
      unreserve: () => ownership.unreserve(A),
    };
    const refused = effects.some((effect) => effect.startsWith('refuse'));
    if (refused) expect(put[input], `${state} ${input}`).toThrow(BridgeError);
    else put[input]();
    const taken = !refused && (input === 'claimOver' || input === 'claimOther');
    const owner = to === 'free' || to === 'reserved' ? null : taken ? B : A;
    expect(ownership.owner, `${state} ${input}`).toEqual(owner);
    const told = before?.loss ?? '';
    if (effects.includes('tellLoss')) expect(told).toBe('stopped (test)');
    else if (effects.includes('replace')) expect(told).toMatch(taken ? /taken over by owner b/ : /superseded/);
    else expect(told, `${state} ${input}`).toBe('');
  }
});

test('what a state of the table means shows in who may take the arm next', () => {
  for (const state of Object.keys(OWNERSHIP.states) as State[]) {
    const { claim } = brought(state);
    if (state === 'free') expect(claim(B).owner).toBe(B);
    else expect(() => claim(B), state).toThrow(state.startsWith('reserved') ? /takes no more motions/ : /is driven by/);
  }
});

test('only the one for whom an arm is reserved gives it free again', () => {
  const { ownership, claim } = brought('reserved');
  ownership.unreserve(B);
  expect(() => claim(B, true)).toThrow(/kept for owner a/);
  ownership.unreserve(A);
  expect(claim(B).owner).toBe(B);
});
