import { defineMachine } from '../machine.ts';

/** The calibration of an arm, step by step. */
export const CALIBRATION = defineMachine({
  name: 'Calibration of an arm',
  states: {
    lower: 'the arm holds: it is lowered and goes limp first',
    middle: 'a person moves every joint to its middle',
    sweep: 'a person moves every joint to both ends of its travel',
    hold: 'the servos have new offsets; a person holds the arm, and its torque goes on next',
    move: 'the arm holds; each joint moves a little and back next',
    save: 'a person says whether each joint moved the right way',
    ended: 'the arm is limp, or has another owner',
  },
  inputs: {
    done: 'the step has been carried out',
    reversed: 'joints moved the wrong way: their offsets have been rewritten',
    cancel: 'the client cancels',
    lost: 'the arm is stopped, disconnected or taken over, or the client has gone',
  },
  effects: {
    release: 'release the arm',
    giveBack: 'restore what has been written to the servos: at once, or when they are next limp',
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
