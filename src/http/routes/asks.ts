import { z } from 'zod';
import { asking } from '../callers.ts';
import { asModel, boolean, components } from '../fields.ts';
import { NO_ARM, route } from '../route.ts';
import { armAsk, askView } from '../views.ts';

const ASK = '/api/v1/arms/{name}/ask';

const askAnswer = z
  .object({
    ask: armAsk.nullable().describe('Null: nobody else has the arm.'),
    message: z.string().describe('State of the request as a sentence.'),
  })
  .register(components, { id: 'AskAnswer' });

const askReply = z
  .object({ give: boolean().describe('The arm is given away; false: not now.') }, asModel)
  .register(components, { id: 'AskReply' });

export const askExample: z.input<typeof armAsk> = {
  id: 'rwa1c0-1',
  arm: 'follower',
  asker: '"Ben" (page 77ab on this computer)',
  owner: '"Ada" (page 3f9a on this computer)',
  state: 'open',
  message: '"Ada" (page 3f9a on this computer) is asked for follower.',
  ends: 1767323105.5,
};

const named = { tag: 'arms', target: 'named', method: 'POST', access: 'control' } as const;

export const askRoutes = [
  route({
    ...named,
    path: ASK,
    act: 'ask',
    id: 'arm_ask',
    summary: 'Ask who has an arm for it',
    description:
      'Nothing moves: who has the arm, or has started the pair that has it, is asked on the live stream, and answers within a minute ' +
      'or not. Asked again, the same ask says how it stands. Whoever will not wait takes the arm over.',
    answer: {
      description: 'What is asked now.',
      schema: askAnswer,
      example: { ask: askExample, message: askExample.message },
    },
    refusals: {
      404: NO_ARM,
      409: 'Who has the arm watches no live stream, and so hears nothing (take_over takes it).',
      503: 'Too many people ask for arms.',
    },
    handler: ({ asks }, { arm, request }) => {
      const ask = asks.put(arm, request.client!.owner);
      if (ask !== null) return { ask: askView(ask), message: ask.message };
      const message = arm.owner === null ? `${arm.name} is free: nobody has to be asked.` : `${arm.name} is yours.`;
      return { ask: null, message };
    },
  }),
  route({
    ...named,
    path: `${ASK}/{ask}`,
    params: ['ask'],
    act: 'release',
    id: 'arm_ask_answer',
    summary: 'Give an arm away, or not now',
    description:
      'For who is asked. An arm that is given away holds and is free, as by release; pairs that it is of end. Who has asked is told on ' +
      'the live stream.',
    body: { schema: askReply, example: { give: true } },
    answer: {
      description: 'What has become of the ask.',
      schema: askAnswer,
      example: { ask: { ...askExample, state: 'given' }, message: '"Ada" gives follower away: it is free.' },
    },
    refusals: {
      403: 'Somebody else is asked.',
      404: 'There is no such arm or ask.',
      409: 'The ask is over, or the arm is stopped.',
    },
    handler: async ({ asks }, { arm, params, body, request }) => {
      const ask = await asks.answer(arm, params.ask!, body.give, asking(request, {}));
      return { ask: askView(ask), message: ask.message };
    },
  }),
];
