/** Feetech request, written out from the protocol manual and independent of the product's codec. */
export function request(id: number, instruction: number, ...params: number[]): Uint8Array {
  return seal([id, params.length + 2, instruction, ...params]);
}

/** Feetech status packet. */
export function status(id: number, error: number, ...params: number[]): Uint8Array {
  return seal([id, params.length + 2, error, ...params]);
}

function seal(body: number[]): Uint8Array {
  const sum = body.reduce((total, byte) => total + byte, 0);
  return Uint8Array.of(0xff, 0xff, ...body, 255 - (sum % 256));
}

/** Low and high byte. */
export function word(value: number): [low: number, high: number] {
  return [value % 256, Math.floor(value / 256)];
}

/** "FF FF 01" to bytes. */
export function hex(text: string): Uint8Array {
  return Uint8Array.from(text.trim().split(/\s+/), (byte) => Number.parseInt(byte, 16));
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
