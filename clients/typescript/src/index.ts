/**
 * Moves robot arms through an Arm Bridge.
 *
 *     const arm = new Bridge('http://localhost:8020').arm('follower');
 *     await arm.init();
 *     await arm.move({ x: 2, y: 3 });
 *
 * Lengths are centimetres and angles degrees, as in the HTTP interface; joints, states and the live stream are in radians,
 * metres and seconds, as in ROS 2. What is refused or not done throws a BridgeError.
 */
export { Arm, type Move, type RelativeMove } from './arm.ts';
export { Bridge, type BridgeOptions, type Meaning, type Schemas } from './bridge.ts';
export { BridgeError } from './errors.ts';
export type { components, paths } from './interface.ts';
export type { LiveFrame, LiveOptions, Topic } from './live.ts';
export { Motion } from './motion.ts';
export { Episode, Recordings } from './recordings.ts';
