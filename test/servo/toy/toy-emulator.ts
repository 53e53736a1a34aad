import { bytesOf, loadCounts, type Register } from '../../../src/servo/registers.ts';
import type { BusFaults, EmulatedServoBus } from '../../../src/sim/emulated-servo.ts';
import { ANSWER, EVERYBODY, Op, OVERHEAD, REQUEST, xor } from './toy-frame.ts';
import { TOY_1 } from './toy-table.ts';

const TABLE_SIZE = 64;
const EEPROM_END = 40;

/** One toy servo: a table of bytes whose place runs after its goal. */
export class ToyServo {
  readonly memory = new Uint8Array(TABLE_SIZE);
  /** Writes below this address outlast the supply. */
  lastingWrites = 0;
  #prepared: { address: number; bytes: Uint8Array } | null = null;

  constructor(id: number, place: number) {
    for (const row of Object.values(TOY_1.registers)) this.#put(row, row.initial ?? 0);
    this.set('id', id);
    this.set('place', place);
    this.set('voltage', 74);
    this.set('temperature', 30);
  }

  get id(): number {
    return this.value('id');
  }

  value(name: string): number {
    return loadCounts(TOY_1.registers[name]!, this.memory, TOY_1.registers[name]!.address);
  }

  set(name: string, counts: number): void {
    this.#put(TOY_1.registers[name]!, counts);
  }

  write(address: number, bytes: Uint8Array): void {
    if (address < EEPROM_END) this.lastingWrites++;
    this.memory.set(bytes, address);
  }

  prepare(address: number, bytes: Uint8Array): void {
    this.#prepared = { address, bytes };
  }

  go(): void {
    if (this.#prepared !== null) this.write(this.#prepared.address, this.#prepared.bytes);
    this.#prepared = null;
  }

  /** Goes a quarter of the way to its goal. */
  step(): void {
    if (this.value('motor') !== 1) return;
    const rest = this.value('goal') - this.value('place');
    this.set('moving', rest === 0 ? 0 : 1);
    this.set('place', this.value('place') + Math.sign(rest) * Math.ceil(Math.abs(rest) / 4));
  }

  #put(row: Register, counts: number): void {
    this.memory.set(bytesOf(row, counts), row.address);
  }
}

/** The far end of a toy bus. */
export class ToyEnd implements EmulatedServoBus {
  readonly faults: BusFaults = { dead: new Set(), loseRate: 0, corruptRate: 0 };
  onStatus: ((bytes: Uint8Array, returnDelay: number) => void) | null = null;
  readonly #servos: readonly ToyServo[];
  #input: number[] = [];

  constructor(servos: readonly ToyServo[]) {
    this.#servos = servos;
  }

  feed(chunk: Uint8Array): void {
    this.#input.push(...chunk);
    while (this.#input.length >= OVERHEAD) {
      const total = this.#input[3]! + OVERHEAD;
      if (this.#input[0] !== REQUEST) this.#input.shift();
      else if (this.#input.length < total) return;
      else this.#execute(Uint8Array.from(this.#input.splice(0, total)));
    }
  }

  #execute(frame: Uint8Array): void {
    if (xor(frame, 0, frame.length - 1) !== frame.at(-1)) return;
    const [, id, op] = frame;
    const parameters = frame.subarray(4, -1);
    const [address = 0, length = 0] = parameters;
    if (op === Op.readAll) {
      for (const one of parameters.subarray(2)) this.#read(this.#find(one), address, length);
    } else if (op === Op.writeAll) {
      for (let at = 2; at < parameters.length; at += 1 + length) {
        this.#find(parameters[at]!)?.write(address, parameters.slice(at + 1, at + 1 + length));
      }
    } else if (op === Op.go) {
      for (const servo of this.#servos) if (id === EVERYBODY || servo.id === id) servo.go();
    } else {
      const servo = this.#find(id!);
      if (servo === undefined) return;
      if (op === Op.ping) this.#answer(servo, servo.memory.subarray(0, 3));
      else if (op === Op.read) this.#read(servo, address, length);
      else {
        const bytes = parameters.slice(1);
        // The acknowledgement of a new id still has the old one.
        const sender = { id: servo.id, value: (name: string) => servo.value(name) };
        if (op === Op.write) servo.write(address, bytes);
        else servo.prepare(address, bytes);
        this.#answer(sender, new Uint8Array());
      }
    }
  }

  #find(id: number): ToyServo | undefined {
    return this.faults.dead.has(id) ? undefined : this.#servos.find((servo) => servo.id === id);
  }

  #read(servo: ToyServo | undefined, address: number, length: number): void {
    if (servo !== undefined) this.#answer(servo, servo.memory.slice(address, address + length));
  }

  #answer(servo: Pick<ToyServo, 'id' | 'value'>, bytes: Uint8Array): void {
    const frame = Uint8Array.of(ANSWER, servo.id, servo.value('faults'), bytes.length, ...bytes, 0);
    frame[frame.length - 1] = xor(frame, 0, frame.length - 1);
    this.onStatus?.(frame, 0);
  }
}
