import { z } from 'zod';
import { ACTS } from '../../arm/journal.ts';
import { LONGEST_NAME } from '../../sizes.ts';
import { fitting } from '../answer-size.ts';
import { components, oneOf, queryInteger, queryNumber, word } from '../fields.ts';
import { route } from '../route.ts';
import { eventView, journalEvent } from '../views.ts';

/** Most entries in one answer. */
const MOST_EVENTS = 50;

const eventList = z
  .object({ events: z.array(journalEvent).max(MOST_EVENTS).describe('Newest first, by `id`.') })
  .register(components, { id: 'EventList' });

export const eventExample: z.input<typeof journalEvent> = {
  id: 17,
  time: 1767323045.5,
  act: 'motion',
  arm: 'follower',
  who: '"notebook" on this computer',
  origin: 'this computer',
  what: 'POST /move/absolute',
  request_id: 'mbqk2f1c-1z',
  taken_from: null,
  outcome: 'done',
  message: null,
  ended: 1767323047.4,
  count: 1,
};

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/api/v1/events',
    access: 'read',
    id: 'events',
    tag: 'status',
    summary: 'Who did what',
    description:
      'Motions, torque, stops, take-overs, calibrations and changes of the configuration, by HTTP, by ROS 2 and by the bridge itself. ' +
      'The bridge keeps the newest thousand. To go back further than one answer, repeat the request with `before` set to the ' +
      '`id` of its last entry, until the answer is empty. The live stream sends entries as they come.',
    target: 'none',
    query: {
      arm: word(LONGEST_NAME).optional().describe('Name of the arm; left out: all arms.'),
      act: oneOf(ACTS).optional().describe('Kind of the actions; left out: all kinds.'),
      since: queryNumber({ min: 0, max: 1e12 })
        .optional()
        .describe('Only entries that began at this time or later, seconds since the epoch.'),
      before: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER })
        .optional()
        .describe('Only entries with a smaller `id`.'),
      limit: queryInteger({ min: 1, max: MOST_EVENTS })
        .prefault(50)
        .describe('Most entries in the answer; it has fewer if they would not fit into 64 kB.'),
    },
    answer: { description: 'The entries, newest first.', schema: eventList, example: { events: [eventExample] } },
    refusals: {},
    handler: ({ services: { arms } }, { query }) => ({ events: fitting(arms.journal.list(query).map(eventView)) }),
  }),
];
