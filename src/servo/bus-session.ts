import type { Clock } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import { type ClientOptions, DEFAULT_DEADLINE } from './exchange.ts';
import type { ExpectedServo } from './expected-servo.ts';
import type { Homing } from './homing.ts';
import { handOver, OutOfBand } from './out-of-band.ts';
import type { BytePort, PortError } from './port/port.ts';
import { recover } from './recover.ts';
import type { ServoBus } from './servo-bus.ts';
import type { Asks, ServoClient } from './servo-client.ts';
import { type ModelFacts, servoFacts } from './servo-facts.ts';
import type { ServoFamily } from './servo-family.ts';
import type { ServoModel } from './servo-model.ts';
import { configure, readRow, registerName } from './setup.ts';
import { type StartUp, startUp } from './start-up.ts';
import { writeHoming } from './write-homing.ts';

/** Turns of an out-of-band transaction if the check on connecting uses the default deadline. */
const TURNS = 3;

/** A servo to talk to, and the model that it was found to be. */
export interface KnownServo {
  readonly id: number;
  readonly model: ServoModel;
}

/** A servo that has cut or reduced its torque, and whether it had torque before. */
export interface OverloadedServo {
  readonly servo: ExpectedServo;
  readonly held: boolean;
}

/** New homing of a servo. */
export interface HomingWrite extends KnownServo, Homing {}

/** A result, or why there is none, for users. */
export type Outcome<T> = { readonly result: T } | { readonly problem: string };

/**
 * Everything on a bus besides the control cycle: opening, the check on connecting, single transactions. The owner of
 * the cycle starts them here and gets a callback; nothing here throws.
 */
export class BusSession {
  readonly clock: Clock;
  readonly bus: ServoBus;
  /** Called when the port is lost. */
  onLost: (error: PortError) => void = () => {};
  readonly #port: BytePort;
  readonly #client: ServoClient;
  readonly #outOfBand: OutOfBand;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param ids of the servos, in the order of the control cycle
   * @param options of the check on connecting; out-of-band transactions turn a long deadline into many short turns
   */
  constructor(port: BytePort, family: ServoFamily, ids: readonly number[], options: ClientOptions = {}) {
    this.clock = port.clock;
    this.#port = port;
    // Set before the client is made, because the client wraps this handler.
    port.onClose = (error) => this.onLost(error);
    this.bus = family.makeBus(port, ids);
    this.#client = family.makeClient(port, options);
    const turns = (TURNS * (options.deadline ?? DEFAULT_DEADLINE)) / DEFAULT_DEADLINE;
    this.#outOfBand = new OutOfBand(family.makeClient(port), this.bus, turns);
  }

  /** @param done receives advice about the open port, for users */
  open(done: (outcome: Outcome<readonly string[]>) => void): void {
    settle(
      this.#port.open().then(() => this.#port.advice ?? []),
      done,
    );
  }

  /** @param done called when closing has ended; its errors do not concern the caller */
  close(done: () => void = () => {}): void {
    settle(this.#port.close(), done);
  }

  /**
   * Recovers the overloaded servos, then checks who all servos are and how they are set.
   * @param goesOn whether the overloaded ones are still to get torque
   */
  check(
    expected: readonly ExpectedServo[],
    overloaded: readonly OverloadedServo[],
    goesOn: () => boolean,
    done: (outcome: Outcome<StartUp>) => void,
  ): void {
    const check = async (): Promise<StartUp> => {
      this.#client.attach();
      for (const { servo, held } of overloaded) {
        if (goesOn()) await recover(this.#client, servo, held, goesOn);
      }
      return startUp(this.#client, expected);
    };
    settle(check(), done);
  }

  /** Request counters of the checks so far. */
  get asks(): Asks {
    return this.#client.asks;
  }

  /** Hands the bus over to the control cycle. */
  handOver(ids: readonly number[]): void {
    this.bus.attach();
    for (const id of ids) handOver(this.#client, this.bus, id);
  }

  /** A transaction with a single servo waits for its turn. */
  get waiting(): boolean {
    return this.#outOfBand.waiting;
  }

  /** A transaction with a single servo is running: the cycle must not use the bus. */
  get busy(): boolean {
    return this.#outOfBand.busy;
  }

  /** Runs the transaction that has waited longest. */
  turn(done: () => void): void {
    settle(this.#outOfBand.turn(), done);
  }

  /** The bus is gone: fails all waiting transactions with this reason. */
  abandon(reason: string): void {
    this.#outOfBand.abandon(reason);
  }

  /** Reads the models and settings of servos. */
  facts(servos: readonly KnownServo[], done: (outcome: Outcome<readonly ModelFacts[]>) => void): void {
    const read = async (): Promise<readonly ModelFacts[]> => {
      const facts: ModelFacts[] = [];
      for (const { id, model } of servos) facts.push(await servoFacts(this.#outOfBand, id, model));
      return facts;
    };
    settle(read(), done);
  }

  /**
   * Writes the temperature at which each servo switches itself off.
   * @param limits counts, in the order of the servos
   * @param written called with the index of each servo that has been written
   */
  limitTemperatures(
    servos: readonly KnownServo[],
    limits: readonly number[],
    written: (index: number) => void,
    done: (outcome: Outcome<void>) => void,
  ): void {
    this.#write(async () => {
      for (const [i, { id, model }] of servos.entries()) {
        await configure(this.#outOfBand, model, id, { [registerName(model, model.common.maxTemperature)]: limits[i]! });
        written(i);
      }
    }, done);
  }

  /**
   * Writes the homing of servos.
   * @param written called with the index of each servo that has been written, and its present position then, counts
   */
  writeHoming(
    servos: readonly HomingWrite[],
    written: (index: number, present: number) => void,
    done: (outcome: Outcome<void>) => void,
  ): void {
    this.#write(async () => {
      for (const [i, servo] of servos.entries()) {
        const { id, model } = servo;
        await writeHoming(this.#outOfBand, model, id, servo);
        written(i, await readRow(this.#outOfBand, id, model.common.presentPosition));
      }
    }, done);
  }

  /** EEPROM is written by one task at a time: the first to close a lock would make the other's value volatile. */
  #write(task: () => Promise<void>, done: (outcome: Outcome<void>) => void): void {
    const written = this.#writing.then(task);
    this.#writing = written.catch(() => {});
    settle(written, done);
  }
}

function settle<T>(promise: Promise<T>, done: (outcome: Outcome<T>) => void): void {
  promise.then(
    (result) => done({ result }),
    (error: unknown) => done({ problem: messageOf(error) }),
  );
}
