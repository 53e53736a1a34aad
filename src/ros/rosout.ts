import type { LogLine } from '../log.ts';
import type { Qualities } from './qos.ts';
import type { RosNode, RosPublisher } from './rclnodejs.ts';
import { Repetitions, times } from './refusals.ts';
import { stampOf } from './time.ts';

/** Levels of rcl_interfaces/msg/Log. Lower levels, for developers only, stay in the log of the process. */
const LEVELS: Readonly<Record<string, number>> = { info: 20, warn: 30, error: 40, fatal: 50 };
/** Of warnings and worse, repetitions are throttled. */
const THROTTLED = 30;
/** Most lines below that of one node in a second: every request to the bridge is a line of its log. */
const MOST_LINES = 10;

interface Voice {
  readonly publisher: RosPublisher;
  /** Logger name as in rcl: `follower.arm_bridge`. */
  readonly name: string;
  readonly budget: Budget;
}

/** Lines of one node within one second that are no warnings. */
interface Budget {
  second: number;
  published: number;
  heldBack: number;
}

/**
 * `/rosout`: the log of the process, so that rqt_console shows refusals, warnings and ends. A line about an arm comes
 * from that arm's node. Of warnings that say the same, the first, the tenth, the hundredth and so on are published: the
 * log has a line for each goal. Of a node's other lines, ten in a second are published, and then how many were not.
 */
export class Rosout {
  readonly #qualities: Qualities;
  readonly #root: Voice;
  readonly #arms = new Map<string, Voice>();
  readonly #repetitions = new Repetitions();

  /** @param root the node of the process @param full its full name */
  constructor(root: RosNode, full: string, qualities: Qualities) {
    this.#qualities = qualities;
    this.#root = this.#voice(root, full);
  }

  /** @param full name of the arm's node */
  add(node: RosNode, arm: string, full: string): void {
    this.#arms.set(arm, this.#voice(node, full));
  }

  /** Publishes what was said before anybody could hear it: warnings and worse. @param newest lines, newest first */
  catchUp(newest: Iterable<LogLine>): void {
    for (const line of [...newest].reverse()) if ((LEVELS[line.level] ?? 0) >= THROTTLED) this.publish(line);
  }

  publish({ level: label, message, time, arm }: LogLine): void {
    const level = LEVELS[label];
    if (level === undefined) return;
    const voice = this.#arms.get(arm ?? this.#named(message)) ?? this.#root;
    if (level < THROTTLED) {
      if (!this.#fits(voice, level, time)) return;
      this.#say(voice, level, time, message);
      return;
    }
    const count = this.#repetitions.count(`${voice.name} ${message}`, time);
    if (count > 0) this.#say(voice, level, time, `${message}${times(count)}`);
  }

  /** Counts a line of this second; those held back in an earlier one are told. @param time seconds since the epoch */
  #fits(voice: Voice, level: number, time: number): boolean {
    const { budget } = voice;
    const second = Math.floor(time);
    if (budget.second !== second) Object.assign(budget, { second, published: 0 });
    if (budget.published === MOST_LINES) {
      budget.heldBack++;
      return false;
    }
    budget.published++;
    if (budget.heldBack > 0) {
      const more = `${budget.heldBack} more lines within one second are in the log of the bridge alone`;
      this.#say(voice, level, time, more);
      budget.heldBack = 0;
    }
    return true;
  }

  #say({ publisher, name }: Voice, level: number, time: number, msg: string): void {
    try {
      publisher.publish({ stamp: stampOf(time), level, name, msg, file: '', function: '', line: 0 });
    } catch {
      // The line is in the log; logging this failure would cause another one.
    }
  }

  /** The first arm that a text names; empty for none. */
  #named(text: string): string {
    const words = text.split(/[^\w-]+/);
    return words.find((word) => this.#arms.has(word)) ?? '';
  }

  #voice(node: RosNode, full: string): Voice {
    const publisher = node.createPublisher('rcl_interfaces/msg/Log', '/rosout', { qos: this.#qualities.log });
    return { publisher, name: full.slice(1).replaceAll('/', '.'), budget: { second: 0, published: 0, heldBack: 0 } };
  }
}
