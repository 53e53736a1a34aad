import type { Json, Operations } from './operation.ts';

const ARM_NAME: Json = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Name of the arm, as in the configuration.',
  schema: { type: 'string' },
};
const NO_ARM = 'There is no arm of this name.';

/** Operations of our own, below /api/v1, in SI units. */
export const API_OPERATIONS: Operations = {
  '/api/v1/arms/{name}/urdf': {
    method: 'get',
    operation: {
      id: 'arm_urdf',
      tag: 'arms',
      summary: 'URDF of an arm',
      parameters: [ARM_NAME],
      answer: { media: 'application/xml', description: 'The model as it is in the folder of the arm.' },
      refusals: { 404: NO_ARM },
    },
  },
  '/api/v1/live': {
    method: 'get',
    operation: {
      id: 'live',
      tag: 'live',
      summary: 'Watch arms, pairs, the loop and the log',
      description: 'A WebSocket where the request asks for one; otherwise server-sent events without an end.',
      parameters: [
        {
          name: 'topics',
          in: 'query',
          required: false,
          description: 'Of arms, pairs, loop and log, separated by commas; left out: all.',
          schema: { type: 'string' },
        },
        {
          name: 'rate',
          in: 'query',
          required: false,
          description: 'Frames per second.',
          schema: { type: 'number', minimum: 1, maximum: 100, default: 20 },
        },
      ],
      answer: { media: 'text/event-stream', description: 'An event for each frame, named after its topic.' },
      refusals: { 503: 'Too many clients watch the bridge.' },
    },
  },
};
