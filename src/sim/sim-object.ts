/** A primitive of an object's outline. Sizes are whole edges, radii and whole lengths, m; cylinders stand along z. */
export type SimShape =
  | { readonly kind: 'box'; readonly size: readonly [x: number, y: number, z: number] }
  | { readonly kind: 'cylinder'; readonly radius: number; readonly length: number }
  | { readonly kind: 'sphere'; readonly radius: number };

/** One primitive and where its centre is in the frame of its object, m. */
export type SimPart = SimShape & { readonly at: readonly [x: number, y: number, z: number] };

/** A thing that stands before a simulated arm, as plain data. */
export interface SimObject {
  readonly name: string;
  /** They move as one. */
  readonly parts: readonly SimPart[];
  /** kg; null: it does not move. */
  readonly mass: number | null;
  /** Place of its frame at the start, in the arm's base frame, m. */
  readonly at: readonly [x: number, y: number, z: number];
  /** Turn about z at the start, rad. */
  readonly yaw: number;
  /** Coefficient of sliding friction; of two surfaces that touch the greater one counts. */
  readonly friction: number;
  /** Time in which what presses into it is pushed back, s: 0.002 is hard, 0.02 yields by millimetres. */
  readonly softness: number;
}

/** A link of the arm, or another object, that presses on an object. */
export interface SimTouch {
  /** Name of the link or of the object; `floor` is the ground below the table. */
  readonly by: string;
  /** Sum of the normal forces, N. */
  force: number;
}

export interface SimObjectState {
  readonly name: string;
  /** In the arm's base frame, m and a unit quaternion. */
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
  /** None of an object that lies still: it sleeps, and nobody reckons what it lies on. */
  readonly touches: readonly SimTouch[];
}
