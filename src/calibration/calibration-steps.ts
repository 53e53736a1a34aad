import { defineMachine } from '../machine.ts';

/** The calibration of an arm, step by step. */
export const CALIBRATION = defineMachine({
  name: 'Calibration of an arm',
  states: {
    lower: 'the arm holds: it is lowered and goes limp first',
    middle: 'a hand brings every joint to its middle',
    sweep: 'a hand leads every joint to both ends of its travel',
    hold: 'the servos have new offsets; a hand holds the arm, and its torque goes on next',
    move: 'the arm holds; each joint moves a little and back next',
    save: 'somebody says whether each joint went the way it should',
    ended: 'the arm is limp or somebody else has it',
  },
  inputs: {
    done: 'the step has been carried out',
    reversed: 'joints went the other way: their offsets have been written anew',
    cancel: 'whoever calibrates gives up',
    lost: 'the arm is stopped, disconnected or taken over',
  },
  effects: {
    release: 'nobody keeps the arm any more',
    giveBack: 'the servos get back what they had, if anything has been written: at once, or when they are limp next',
  },
  initial: 'lower',
  table: {
    lower: {
      done: 'middle',
      reversed: null,
      cancel: ['ended', 'giveBack', 'release'],
      lost: ['ended', 'giveBack'],
    },
    middle: {
      done: 'sweep',
      reversed: null,
      cancel: ['ended', 'giveBack', 'release'],
      lost: ['ended', 'giveBack'],
    },
    sweep: {
      done: 'hold',
      reversed: null,
      cancel: ['ended', 'giveBack', 'release'],
      lost: ['ended', 'giveBack'],
    },
    hold: {
      done: 'move',
      reversed: null,
      cancel: ['ended', 'giveBack', 'release'],
      lost: ['ended', 'giveBack'],
    },
    move: {
      done: 'save',
      reversed: null,
      cancel: ['ended', 'giveBack', 'release'],
      lost: ['ended', 'giveBack'],
    },
    save: {
      done: ['ended', 'release'],
      reversed: 'hold',
      cancel: ['ended', 'giveBack', 'release'],
      lost: ['ended', 'giveBack'],
    },
    ended: { done: null, reversed: null, cancel: null, lost: null },
  },
});

export type Step = keyof typeof CALIBRATION.states;
