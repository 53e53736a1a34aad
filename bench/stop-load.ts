/** One load on a bridge, in a process of its own, until it is ended: see bench/stop.ts. */
import { request as plain, type RequestOptions } from 'node:http';
import { request as encrypted } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { longestWithin, type Schema } from './worst-body.ts';

export type LoadKind = 'move' | 'moves' | 'replay' | 'worst' | 'silent' | 'streams' | 'mirror' | 'ask';

export interface StopLoad {
  readonly kind: LoadKind;
  readonly url: string;
  readonly token: string | null;
  /** How many arms, connections or requests at once. */
  readonly count: number;
  /** What is asked, and the recording that is replayed. */
  readonly path: string;
}

/** Two places that are far from each other, cm. */
const PLACES = [
  { x: 2, y: 10, z: 4 },
  { x: 2, y: -10, z: 0 },
];
/** After a refusal, as long as the arms are stopped, ms. */
const PAUSE = 20;
/** A silent connection that has been ended is opened again after this time, ms. */
const REOPENING = 500;
/** A hand leads a leader to and fro so far, rad, within this time, s. */
const SWING = 0.6;
const SWING_TIME = 1;
/** Of so many streams one reads nothing. */
const READERS = 10;
/** Requests that stop or reset arms, which is measured, and that add or remove arms. */
const LEFT_OUT = /stop|reset|disconnect|connection|setup/;

const { kind, url, token, count, path }: StopLoad = JSON.parse(process.argv[2]!);
const { protocol, hostname, port } = new URL(url);
const headers = token === null ? {} : { authorization: `Bearer ${token}` };

function ask(method: string, where: string, body?: object | string): Promise<number> {
  return new Promise((resolve) => {
    const options: RequestOptions & { rejectUnauthorized: boolean } = {
      host: hostname,
      port,
      method,
      path: where,
      rejectUnauthorized: false,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    };
    const sent = (protocol === 'https:' ? encrypted : plain)(options, (answer) => {
      answer.resume().on('close', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    sent.end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}

/** One arm to and fro. */
async function move(): Promise<never> {
  for (let k = 0; ; k++) {
    if ((await ask('POST', '/move/absolute?robot_id=0&take_over=true', PLACES[k % 2])) !== 200) await sleep(PAUSE);
  }
}

async function moves(): Promise<never> {
  for (;;) {
    const all = Array.from({ length: count }, (_, k) => ask('POST', '/move/absolute?robot_id=1', PLACES[k % 2]));
    const statuses = await Promise.all(all);
    if (statuses.some((status) => status !== 200)) await sleep(PAUSE);
  }
}

async function replay(): Promise<never> {
  for (;;) {
    await ask('POST', '/recording/play?robot_id=0&take_over=true', { name: path, speed: 1 });
    await sleep(PAUSE);
  }
}

interface Operation {
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: Schema } } };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** The longest legal body of every route, at an arm that nobody moves. */
async function worst(): Promise<never> {
  const answer = await fetch(`${url}/openapi.json`, { headers });
  const { paths, components } = (await answer.json()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const requests = Object.entries(paths)
    .filter(([route]) => !LEFT_OUT.test(route))
    .flatMap(([route, { post }]) => {
      const schema = post?.requestBody?.content['application/json']?.schema;
      if (post === undefined || schema === undefined) return [];
      const query = post.parameters?.some(({ name }) => name === 'robot_id') ? '?robot_id=1' : '';
      const body = longestWithin(64 * 1024, schema, components.schemas);
      return [{ path: `${route.replace('{name}', 'arm_1')}${query}`, body }];
    });
  const loop = async (): Promise<never> => {
    for (let k = 0; ; k++) {
      const { path: where, body } = requests[k % requests.length]!;
      // Some wait for a motion of their own.
      await Promise.race([ask('POST', where, body), sleep(1000)]);
    }
  };
  return (await Promise.all(Array.from({ length: count }, loop)))[0]!;
}

/** Connections that never say anything, opened again when they are ended. */
async function silent(): Promise<void> {
  const open = (): void => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(open, REOPENING));
  };
  for (let k = 0; k < count; k++) open();
}

async function streams(): Promise<void> {
  for (let k = 0; k < count; k++) {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/v1/live`, { headers });
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'subscribe', topics: ['arms', 'pairs', 'loop'], rate: 100 }));
      if (k % READERS === 0) (socket as unknown as { readonly _socket: Socket })._socket.pause();
    });
    socket.on('error', () => {});
  }
}

/** Hands lead the leaders of pairs, which are mirrored again after each stop. */
async function mirror(): Promise<never> {
  const pairs = Array.from({ length: count / 2 }, (_, k) => ({ leader_id: 2 * k, follower_id: 2 * k + 1 }));
  for (let k = 0; ; k++) {
    await ask('POST', '/move/leader/start', { robot_pairs: pairs, enable_gravity_compensation: false });
    const joints = { shoulder_pan: k % 2 === 0 ? SWING : -SWING };
    await Promise.all(
      pairs.map(({ leader_id }) => ask('POST', '/sim/hand', { robot_id: leader_id, joints, duration: SWING_TIME })),
    );
    await sleep(1000 * SWING_TIME);
  }
}

/** Connections that ask as fast as they are answered. */
async function askOn(): Promise<void> {
  const loop = async (): Promise<never> => {
    for (;;) if ((await ask('GET', path)) === 0) await sleep(PAUSE);
  };
  await Promise.all(Array.from({ length: count }, loop));
}

const LOADS: Readonly<Record<LoadKind, () => Promise<unknown>>> = {
  move,
  moves,
  replay,
  worst,
  silent,
  streams,
  mirror,
  ask: askOn,
};

await LOADS[kind]();
