/** A primitive of an object's shape. Sizes are full edges, radii and full lengths, m; cylinders stand along z. */
export type SimShape =
  | { readonly kind: 'box'; readonly size: readonly [x: number, y: number, z: number] }
  | { readonly kind: 'cylinder'; readonly radius: number; readonly length: number }
  | { readonly kind: 'sphere'; readonly radius: number };

/** One primitive, and the position of its centre in the frame of its object, m. */
export type SimPart = SimShape & { readonly at: readonly [x: number, y: number, z: number] };

/** A scene object of a simulated arm, as plain data. */
export interface SimObject {
  readonly name: string;
  /** Parts of one rigid body. */
  readonly parts: readonly SimPart[];
  /** kg; null: fixed. */
  readonly mass: number | null;
  /** Initial position of its frame in the arm's base frame, m. */
  readonly at: readonly [x: number, y: number, z: number];
  /** Initial rotation about z, rad. */
  readonly yaw: number;
  /** Coefficient of sliding friction; the greater one counts where two surfaces touch. */
  readonly friction: number;
  /** Time constant in which contacts push out penetration, s: 0.002 is hard, 0.02 yields by millimetres. */
  readonly softness: number;
}

/** The contact of an object with a link or another object. */
export interface SimTouch {
  /** Name of the link or of the object; `floor` is the ground below the table. */
  readonly by: string;
  /** Sum of the normal forces, N. */
  force: number;
}

export interface SimObjectState {
  readonly name: string;
  /** In the arm's base frame: m, and a unit quaternion. */
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
  /** Empty for an object at rest: it sleeps, and MuJoCo does not compute its contacts. */
  readonly touches: readonly SimTouch[];
}
