import { defineMachine } from '../../machine.ts';

/** How the goals of a group of joints with torque move. */
export const HOLDING = defineMachine({
  name: 'Holding of a group of joints',
  states: {
    held: 'the goals decelerate and stay',
    driven: 'a source drives the goals, or they approach its last setpoints',
    yielding: 'nothing drives the joints; the goals of those that press on something give way, the others stay',
  },
  inputs: {
    begin: 'a source takes over the goals',
    take: 'the source has setpoints for this cycle',
    brake: 'the source has none: the goals are to decelerate',
    halt: 'the source has ended, or a stop has come',
    press: 'a joint without a source has pressed for too long without moving',
    draw: 'a grip without a source is drawn back',
    regain: 'the stiffness of the servos has changed',
  },
  effects: {
    rest: 'watch anew how the joints come to rest',
    rearm: 'the goals start from standstill',
    forget: 'no joint has given way, or has pressed so far',
  },
  initial: 'held',
  table: {
    held: {
      begin: ['driven', 'forget'],
      take: ['driven', 'rearm'],
      brake: null,
      halt: ['held', 'forget', 'rest'],
      press: ['yielding', 'rearm'],
      draw: ['held', 'rearm'],
      regain: ['held', 'forget'],
    },
    driven: {
      begin: ['driven', 'forget'],
      take: null,
      brake: ['held', 'rest'],
      halt: ['held', 'forget', 'rest'],
      press: ['yielding', 'rearm'],
      draw: ['held', 'rearm'],
      regain: ['driven', 'forget'],
    },
    yielding: {
      begin: ['driven', 'forget'],
      take: ['driven', 'forget', 'rearm'],
      brake: ['held', 'forget', 'rest'],
      halt: ['held', 'forget', 'rest'],
      press: ['yielding', 'rearm'],
      draw: ['yielding', 'rearm'],
      regain: ['held', 'forget'],
    },
  },
});
