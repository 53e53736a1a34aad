import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { Caller } from '../../src/arm/types.ts';
import { Namesakes } from '../../src/ros/namesakes.ts';
import { FakeArm, FakeBridge, fakeArm } from './support/fakes.ts';

const BY_ROS: Caller = { owner: { key: 'ros:mover', name: 'the ROS node /mover' }, takeOver: false };
const BY_HTTP: Caller = { owner: { key: 'page', name: 'the page' }, takeOver: false };

/** Topics of a graph by the bridge that has them. */
type Graph = Map<TestBridge, string[]>;

/** What a bridge with the arm `twin` does about its namesakes. Its clock may be wrong. */
class TestBridge {
  readonly #fake = new FakeArm(0, 'twin');
  readonly arm = fakeArm(this.#fake);
  readonly drives: boolean[] = [];
  /** Bridges that it has not found on the graph. */
  readonly unseen = new Set<TestBridge>();
  readonly #log = new FakeBridge([this.#fake]);
  readonly #namesakes: Namesakes;
  readonly #graph: Graph;

  /** How often the last other bridge has gone. */
  alone = 0;
  /** It tells its frames on /tf_static. */
  frames = true;
  readonly namespace: string;

  constructor(graph: Graph, time: number, blindTo: readonly TestBridge[] = [], namespace = '/twin') {
    this.namespace = namespace;
    this.#graph = graph;
    for (const other of blindTo) this.unseen.add(other);
    Object.assign(this.arm, { clock: new VirtualTime().lane('ros') });
    Object.assign(this.arm.clock, { wall: () => time });
    const seen = {
      getTopicNamesAndTypes: () =>
        [...graph].filter(([by]) => !this.unseen.has(by)).flatMap(([, names]) => names.map((name) => ({ name }))),
      getPublishersInfoByTopic: () =>
        [...graph.keys()].filter(({ frames }) => frames).map(({ namespace }) => ({ node_namespace: namespace })),
    } as unknown as ConstructorParameters<typeof Namesakes>[0];
    this.#namesakes = new Namesakes(seen, { stream: { depth: 1 } }, this.#log.services.logger);
    graph.set(this, ['/twin/joint_states', '/twin2/_bridge_since_0000000000000_00000000']);
    const node = {
      createPublisher: (_: string, topic: string) => {
        graph.get(this)!.push(topic);
        return { subscriptionCount: 0, publish: () => {} };
      },
    };
    const inputs = { drive: () => void this.drives.push(true), withdraw: () => void this.drives.push(false) };
    this.#namesakes.watch(this.arm, node, namespace, inputs, () => {
      this.alone += 1;
    });
  }

  /** ROS 2 drives its arm. */
  get driven(): boolean {
    expect(this.arm.barred(BY_HTTP)).toBe('');
    expect(this.arm.barred(BY_ROS) === '').toBe(this.drives.at(-1) === true);
    return this.drives.at(-1) === true;
  }

  get told(): readonly string[] {
    return this.#log.logged('twin: ');
  }

  get rival(): boolean {
    return this.#namesakes.arms.length > 0;
  }

  look(): void {
    this.#namesakes.look();
  }

  leave(): void {
    this.#graph.delete(this);
  }
}

function lookAll(bridges: readonly TestBridge[]): void {
  for (const bridge of bridges) {
    bridge.unseen.clear();
    bridge.look();
  }
}

describe('of bridges with an arm of one name', () => {
  test('one that is alone is driven, and tells nothing', () => {
    const bridge = new TestBridge(new Map(), 1000);
    bridge.look();
    expect([bridge.drives, bridge.told, bridge.rival]).toEqual([[true], [], false]);
  });

  test('the one that came first is driven, whatever their clocks say; the others in their order, as those before them go', () => {
    const graph: Graph = new Map();
    const bridges = [3e6, 0, 2e6].map((time) => new TestBridge(graph, time));
    const [first, second, third] = bridges;
    lookAll(bridges);
    expect(bridges.map(({ drives }) => drives)).toEqual([[true], [], []]);
    expect(bridges.map(({ driven, rival }) => [driven, rival])).toEqual([
      [true, true],
      [false, true],
      [false, true],
    ]);
    expect(first!.told).toEqual([expect.stringMatching(/another bridge .* node \/twin\/arm_bridge too: rename/)]);
    expect(second!.told).toEqual([expect.stringContaining('ROS 2 does not drive this one until the other has gone')]);
    first!.leave();
    lookAll([second!, third!]);
    expect([second!.driven, third!.driven]).toEqual([true, false]);
    expect(second!.told.at(-1)).toMatch(/another bridge .* too: rename/);
    second!.leave();
    lookAll([third!]);
    expect([third!.drives, third!.rival]).toEqual([[true], false]);
    expect(bridges.map(({ alone }) => alone)).toEqual([0, 0, 1]);
    expect(third!.told.slice(1)).toEqual(['twin: no other bridge has an arm of this name any more']);
  });

  test('in namespaces of their own all are driven, and frames of one name on one topic are told of, once', () => {
    const graph: Graph = new Map();
    const bridges = ['/twin', '/lab/twin', '/own/twin'].map((name) => new TestBridge(graph, 1000, [], name));
    const [plain, lab, apart] = bridges;
    lab!.frames = false;
    apart!.frames = false;
    lookAll(bridges);
    expect(bridges.map(({ driven, told }) => [driven, told])).toEqual(bridges.map(() => [true, []]));
    lab!.frames = true;
    lookAll(bridges);
    lookAll(bridges);
    expect(plain!.told).toEqual([
      expect.stringMatching(/^twin: \/lab\/twin\/arm_bridge tells the frames .*: rename .* -r \/tf:=\/lab2\/tf/),
    ]);
    expect(lab!.told).toHaveLength(1);
    expect(apart!.told).toEqual([]);
  });

  test.each([
    [1000, 1000],
    [1000, 1000.4],
    [1000.4, 1000],
  ])(
    'that begin at %s and %s s and find each other late, one takes back what drives it and one goes on',
    (...times) => {
      const graph: Graph = new Map();
      const one = new TestBridge(graph, times[0]!);
      const other = new TestBridge(graph, times[1]!, [one]);
      one.unseen.add(other);
      one.look();
      other.look();
      expect([one.drives, other.drives]).toEqual([[true], [true]]);
      // One finds the other before that finds it.
      lookAll([other]);
      lookAll([one, other]);
      expect([one, other].map(({ driven }) => driven).sort()).toEqual([false, true]);
      if (times[0] !== times[1]) expect(one.driven).toBe(times[0]! < times[1]!);
      const [kept, later] = one.driven ? [one, other] : [other, one];
      expect([kept.drives, later.drives]).toEqual([[true], [true, false]]);
      kept.leave();
      lookAll([later]);
      expect(later.drives).toEqual([true, false, true]);
    },
  );
});
