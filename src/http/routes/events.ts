import { z } from 'zod';
import { ACTS } from '../../arm/journal.ts';
import { components, LONGEST_NAME, oneOf, queryInteger, queryNumber, word } from '../fields.ts';
import { route } from '../route.ts';
import { eventView, journalEvent } from '../views.ts';

/** Most entries in one answer: the longest entries are a little over 1 kB. */
const MOST_EVENTS = 50;

const eventList = z
  .object({ events: z.array(journalEvent).max(MOST_EVENTS).describe('The newest first.') })
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
      'Motions, torque, stops, take-overs, calibrations and changes of the configuration, by HTTP, by ROS 2 and by the bridge itself: ' +
      'the newest thousand are kept. The live stream tells them as they come.',
    target: 'none',
    query: {
      arm: word(LONGEST_NAME).optional().describe('Name of an arm; left out: all.'),
      act: oneOf(ACTS).optional().describe('What was done; left out: everything.'),
      since: queryNumber({ min: 0, max: 1e12 })
        .optional()
        .describe('Begun at this time or later, seconds since the epoch.'),
      limit: queryInteger({ min: 1, max: MOST_EVENTS }).prefault(50).describe('Most entries.'),
    },
    answer: { description: 'The newest first.', schema: eventList, example: { events: [eventExample] } },
    refusals: {},
    handler: ({ services: { arms } }, { query }) => ({ events: arms.journal.list(query).map(eventView) }),
  }),
];
