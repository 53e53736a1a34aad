import { defineMachine } from '../machine.ts';

/** The state of an arm as the control thread reports it to the main thread, and who is notified there. */
export const REPORTED_STATE = defineMachine({
  name: 'State of an arm as reported to the main thread',
  states: {
    disconnected: 'it does not answer, or has been disconnected',
    up: 'it answers: limp, holding or driven',
    stopped: 'its stop is latched',
  },
  inputs: {
    gone: 'the control thread has lost it',
    there: 'it answers and is not stopped, or has changed between limp, holding and driven',
    stopped: 'the control thread has carried out a requested stop',
    failed: 'the control thread has stopped it by itself',
  },
  effects: {
    endMotions: 'callers that wait for a motion learn that it has ended',
    loseDisconnected: 'its owner loses it and learns that it is disconnected',
    keepStop: 'the stop and its reason are kept on disk',
    loseStopped: 'its owner loses it and learns that it is stopped',
    tell: 'listeners get the new state',
  },
  initial: 'disconnected',
  table: {
    disconnected: {
      gone: null,
      there: ['up', 'tell'],
      stopped: ['stopped', 'tell'],
      failed: ['stopped', 'keepStop', 'loseStopped', 'tell'],
    },
    up: {
      gone: ['disconnected', 'endMotions', 'loseDisconnected', 'tell'],
      there: ['up', 'tell'],
      stopped: ['stopped', 'tell'],
      failed: ['stopped', 'keepStop', 'loseStopped', 'tell'],
    },
    stopped: {
      gone: ['disconnected', 'endMotions', 'loseDisconnected', 'tell'],
      there: ['up', 'tell'],
      stopped: null,
      failed: null,
    },
  },
});
