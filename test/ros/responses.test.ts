import { expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { RclAddon } from '../../src/ros/rclnodejs.ts';
import { Responses } from '../../src/ros/responses.ts';

const UNKNOWN = 'client will not receive response, at rmw_response.cpp:153, at rcl/service.c:400';

/** A client that is known `after` s, and what has been told to it. */
class Client {
  readonly heard: number[] = [];
  tries = 0;
  readonly #time: VirtualTime;
  readonly #known: number;

  constructor(time: VirtualTime, after: number) {
    this.#time = time;
    this.#known = time.now + after;
  }

  send = (): void => {
    this.tries += 1;
    if (this.#time.now < this.#known) throw new Error(UNKNOWN);
    this.heard.push(this.#time.now);
  };
}

function setUp() {
  const time = new VirtualTime();
  const errors: string[] = [];
  const addon: RclAddon = { actionSendGoalResponse: () => {} };
  const responses = new Responses(addon, time.lane('ros'), (error) => errors.push((error as Error).message));
  return { time, errors, addon, responses };
}

test('a client that is known answers come to at once; one that is known later hears once, and no goal is lost by it', () => {
  const { time, errors, addon, responses } = setUp();
  const start = time.now;
  const known = new Client(time, 0);
  responses.send(known.send);
  expect(known.heard).toEqual([start]);

  const late = new Client(time, 1.2);
  responses.send(late.send);
  const later = new Client(time, 2.1);
  addon.actionSendGoalResponse = later.send;
  let begun = false;
  responses.handleGoalRequest(() => {
    addon.actionSendGoalResponse(null, null, new Uint8Array());
    begun = true;
  });
  expect(begun).toBe(true);
  expect(addon.actionSendGoalResponse).toBe(later.send);
  time.runSync(10);
  for (const client of [late, later]) expect(client.heard).toHaveLength(1);
  expect(late.heard[0]! - start).toBeLessThan(2.3);
  expect(later.heard[0]! - start).toBeLessThan(3.2);
  expect(errors).toEqual([]);
});

test('clients that are never known are told of and given up, and keep the thread for a fifth of the time at most', () => {
  const { time, errors, responses } = setUp();
  const deaf = Array.from({ length: 8 }, () => new Client(time, 1e9));
  for (const client of deaf) responses.send(client.send);
  // As many wait as may.
  responses.send(deaf[0]!.send);
  expect(errors).toEqual([UNKNOWN]);
  time.runSync(30);
  expect(errors).toEqual(Array(9).fill(UNKNOWN));
  // Each try takes 0.1 s; the first of each is the request's own.
  expect(deaf.reduce((sum, { tries }) => sum + tries, 0) - 9).toBeLessThanOrEqual(30 * 0.2 * 10);
  const known = new Client(time, 0);
  responses.send(known.send);
  expect(known.heard).toHaveLength(1);
});

test('what else goes wrong is not tried again, and nothing is sent once all is closed', () => {
  const { time, errors, responses } = setUp();
  expect(() =>
    responses.send(() => {
      throw new Error('service is invalid');
    }),
  ).toThrow('service is invalid');
  const late = new Client(time, 1);
  responses.send(late.send);
  responses.close();
  time.runSync(10);
  expect(late).toMatchObject({ heard: [], tries: 1 });
  expect(errors).toEqual([]);
});
