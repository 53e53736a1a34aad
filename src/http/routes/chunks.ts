import { z } from 'zod';
import { chunkFields, chunkOutcomeFields, takeChunk } from '../chunks.ts';
import { asModel, components } from '../fields.ts';
import { CONFLICT, moving, NO_ARM, route } from '../route.ts';

const chunk = z
  .object(chunkFields, asModel)
  .describe('A piece of motion, as a policy makes it.')
  .register(components, { id: 'Chunk' });

const outcome = z.object(chunkOutcomeFields).register(components, { id: 'ChunkOutcome' });

export const chunkRoutes = [
  route({
    method: 'POST',
    path: '/api/v1/arms/{name}/chunks',
    access: 'control',
    act: 'motion',
    id: 'chunk',
    tag: 'arms',
    target: 'named',
    summary: 'Follow a chunk of a policy',
    description:
      'Positions with time stamps, which take over smoothly from those of the chunk before. Points whose time has passed are ' +
      'skipped. The first chunk begins a motion, the others go on with it; when no other comes before the last one has run out, ' +
      'the arm comes to rest and holds.',
    query: moving,
    body: {
      schema: chunk,
      example: {
        joints: ['shoulder_pan', 'elbow_flex'],
        positions: [
          [0.02, 0.01],
          [0.04, 0.02],
          [0.05, 0.03],
        ],
        times: [0.1, 0.2, 0.3],
      },
    },
    answer: {
      description: 'The arm follows what is kept, or nothing of it where `motion` is null.',
      schema: outcome,
      example: {
        motion: 'rwa1c0-1',
        age: 0.25,
        kept: 42,
        skipped: 8,
        begins: 0.02,
        ends: 1.4,
        slowed: [],
        message: null,
      },
    },
    refusals: {
      400: 'The arm is disconnected or limp, has no such joint, cannot go there, or the chunk is none.',
      404: NO_ARM,
      409: CONFLICT,
    },
    handler: (parts, { arm, query, body }, reply) =>
      parts.callers.run(reply, query, (caller) => takeChunk(parts, arm, body, caller, null)),
  }),
];
