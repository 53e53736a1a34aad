/** How a register's bits become a signed number. */
export type SignRule =
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'sign_magnitude'; readonly bit: number }
  | { readonly kind: 'twos_complement'; readonly bits: 8 | 16 | 32 };

/** What a register holds; `none` for codes, gains and flags. */
export type Quantity =
  | 'none'
  | 'position'
  | 'velocity'
  | 'acceleration'
  | 'current'
  | 'voltage'
  | 'temperature'
  | 'share'
  | 'time';

/** Unit in which `toSI` gives each quantity; a share is 1 at the servo's full output. */
export const SI_UNIT: Readonly<Record<Quantity, string>> = {
  none: '',
  position: 'rad',
  velocity: 'rad/s',
  acceleration: 'rad/s^2',
  current: 'A',
  voltage: 'V',
  temperature: 'degC',
  share: '1',
  time: 's',
};

/** Unit of one count of a register. */
export interface Unit {
  /** For people and documentation, as the maker writes it. */
  readonly label: string;
  readonly quantity: Quantity;
  /** One count in `SI_UNIT[quantity]`. */
  readonly scale: number;
}

/** One row of a servo's control table. */
export interface Register {
  readonly address: number;
  /** Bytes. */
  readonly size: 1 | 2 | 4;
  /** True: the highest byte comes first; left out: the lowest does. */
  readonly bigEndian?: boolean;
  /** `eeprom` persists and is written under the lock or with torque off, `ram` is lost at power-off, `read` is read only. */
  readonly access: 'eeprom' | 'ram' | 'read';
  readonly sign: SignRule;
  /** Value after power-on or from the factory, in counts; null where the servo measures or computes it. */
  readonly initial: number | null;
  /** Unit of one count, for people and documentation. */
  readonly unit: string;
  readonly quantity: Quantity;
  /** One count in `SI_UNIT[quantity]`; 1 where there is no quantity. */
  readonly scale: number;
}

export type ControlTable = Readonly<Record<string, Register>>;

export const UNSIGNED: SignRule = { kind: 'unsigned' };

/** Magnitude in the bits below `bit`, which is the sign. */
export function signMagnitude(bit: number): SignRule {
  return { kind: 'sign_magnitude', bit };
}

export function twosComplement(bits: 8 | 16 | 32): SignRule {
  return { kind: 'twos_complement', bits };
}

/** Unit of a code, a gain or a flag; the label says what its values mean. */
export function plain(label = ''): Unit {
  return { label, quantity: 'none', scale: 1 };
}

/** Row of a control table. */
export function register(
  address: number,
  size: 1 | 2 | 4,
  access: Register['access'],
  initial: number | null,
  unit: Unit = plain(),
  sign: SignRule = UNSIGNED,
): Register {
  return { address, size, access, sign, initial, unit: unit.label, quantity: unit.quantity, scale: unit.scale };
}

/** Raw register content to a signed number. */
export function decodeSign(rule: SignRule, raw: number): number {
  if (rule.kind === 'unsigned') return raw;
  if (rule.kind === 'twos_complement') {
    const spare = 32 - rule.bits;
    return (raw << spare) >> spare;
  }
  const weight = 1 << rule.bit;
  return raw & weight ? -(raw & (weight - 1)) : raw & (weight - 1);
}

/** Signed number to raw register content; saturates at what a signed register can hold. */
export function encodeSign(rule: SignRule, value: number): number {
  if (rule.kind === 'unsigned') return value;
  if (rule.kind === 'twos_complement') {
    const half = 2 ** (rule.bits - 1);
    const held = Math.min(Math.max(value, -half), half - 1);
    return held < 0 ? held + 2 * half : held;
  }
  const weight = 1 << rule.bit;
  const magnitude = Math.min(Math.abs(value), weight - 1);
  return value < 0 ? magnitude | weight : magnitude;
}

/** Little-endian content of `size` bytes at `at`, unsigned. */
export function loadRaw(bytes: Uint8Array, at: number, size: number): number {
  let raw = 0;
  for (let i = size - 1; i >= 0; i--) raw = raw * 256 + (bytes[at + i] ?? 0);
  return raw;
}

/** Writes the low `size` bytes of `raw` at `at`, little-endian. */
export function storeRaw(bytes: Uint8Array, at: number, size: number, raw: number): void {
  for (let i = 0; i < size; i++) bytes[at + i] = (raw >>> (8 * i)) & 0xff;
}

/** Signed counts of a register whose first byte is at `at`. Allocates nothing. */
export function loadCounts({ size, sign, bigEndian = false }: Register, bytes: Uint8Array, at: number): number {
  if (!bigEndian) return decodeSign(sign, loadRaw(bytes, at, size));
  let raw = 0;
  for (let i = 0; i < size; i++) raw = raw * 256 + bytes[at + i]!;
  return decodeSign(sign, raw);
}

/** The bytes of a register that holds these counts. */
export function bytesOf({ size, sign, bigEndian = false }: Register, counts: number): Uint8Array {
  const bytes = new Uint8Array(size);
  storeRaw(bytes, 0, size, encodeSign(sign, counts));
  return bigEndian ? bytes.reverse() : bytes;
}

/** Smallest and largest count that a register's bits can hold; a servo may accept less. */
export function countRange(row: Register): { readonly min: number; readonly max: number } {
  switch (row.sign.kind) {
    case 'unsigned':
      return { min: 0, max: 256 ** row.size - 1 };
    case 'sign_magnitude': {
      const max = 2 ** row.sign.bit - 1;
      return { min: -max, max };
    }
    case 'twos_complement': {
      const half = 2 ** (row.sign.bits - 1);
      return { min: -half, max: half - 1 };
    }
  }
}

/** Counts to `SI_UNIT[row.quantity]`; a position is relative to the servo's own step 0. */
export function toSI(row: Register, counts: number): number {
  return counts * row.scale;
}

/** A value in `SI_UNIT[row.quantity]` to the nearest count that the register can hold. */
export function fromSI(row: Register, value: number): number {
  const { min, max } = countRange(row);
  return Math.min(max, Math.max(min, Math.round(value / row.scale)));
}
