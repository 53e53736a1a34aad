import { expect, it } from 'vitest';
import { type Means, SHOWS } from '../../web/showing.ts';
import { type Sight, Tour, type TourState } from '../../web/tour.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

/** Time between two looks of the tour, s. */
const FRAME = 0.1;
/** Longest that a showing may take, s. */
const LIMIT = 60;

/** What the tour of a page sees of a bridge. */
async function sightOf(bridge: VirtualBridge): Promise<Sight> {
  const { arms } = (await bridge.get('/api/v1/arms')).body;
  const { objects } = (await bridge.get('/sim/objects?robot_id=1')).body;
  const { position } = objects.find(({ name }: { name: string }) => name === 'cube');
  const { episode } = (await bridge.get('/api/v1/episode')).body;
  const { recordings } = (await bridge.get('/api/v1/recordings')).body;
  const { pairs } = (await bridge.get('/api/v1/pairs')).body;
  return {
    leader: arms[0].now,
    follower: arms[1].now,
    mirroring: pairs[0]?.state === 'mirroring',
    cube: [position.x, position.y, position.z],
    episode: episode?.name ?? null,
    recordings: recordings.map(({ name }: { name: string }) => name),
  };
}

it('what “Show me” does at each state of the tour is what the tour waits for, up to the cube in the gripper', async () => {
  const bridge = await VirtualBridge.start({ ...PAIR, sim: { scene: 'pick' } });
  const [leader, follower] = (await bridge.get('/api/v1/arms')).body.arms;
  const tour = new Tour();
  let sight: Sight | null = null;
  const look = async (): Promise<void> => {
    sight = await sightOf(bridge);
    tour.see(sight);
  };
  const refused: string[] = [];
  const post = async (url: string, body?: object): Promise<unknown> => {
    const { status, body: answer } = await bridge.post(url, body);
    if (status === 200) return answer;
    refused.push(JSON.stringify(answer));
    return null;
  };
  const means: Means = {
    leader,
    follower,
    now: () => sight,
    ask: ({ path, query, body }) => {
      const text = Object.entries(query ?? {}).map(([name, value]) => `${name}=${value}`);
      return post(`${path}?${text.join('&')}`, body);
    },
    cube: async () => {
      const { objects } = (await bridge.get('/sim/objects?robot_id=1')).body;
      return objects.find(({ name }: { name: string }) => name === 'cube').position;
    },
    lead: async (angles, duration) => {
      const joints = Object.fromEntries(
        leader.joints.map(({ name }: { name: string }, i: number) => [name, angles[i]]),
      );
      return (await post('/sim/hand', { robot_id: 0, joints, duration })) !== null;
    },
    until: async (is) => {
      for (let time = 0; time < LIMIT; time += FRAME) {
        await bridge.pass(FRAME);
        await look();
        if (is()) return true;
      }
      return false;
    },
    press: (id) => void post(id === 'stop' ? '/stop' : '/stop/reset'),
    tell: (text) => refused.push(text),
  };

  tour.put('begin');
  const seen: TourState[] = [tour.state];
  while (tour.state !== 'finished') {
    const { state } = tour;
    await look();
    await SHOWS[state]?.(means);
    await bridge.becomes(async () => {
      await look();
      if (SHOWS[state] === undefined) tour.put('next');
      expect(tour.state).not.toBe(state);
    });
    expect(refused).toEqual([]);
    seen.push(tour.state);
  }
  expect(seen).toEqual([
    'init',
    'initialised',
    'drag',
    'dragged',
    'pair',
    'lead',
    'led',
    'pick',
    'picked',
    'record',
    'recording',
    'recorded',
    'stop',
    'reset',
    'finished',
  ]);
  expect([...tour.ticked]).toEqual(['init', 'drag', 'lead', 'pick', 'record', 'stop']);
});
