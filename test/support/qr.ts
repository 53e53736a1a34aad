import readQr from 'jsqr';

/** Pixels of a cell. */
const SCALE = 4;

/** What an independent reader reads in a QR code: its black cells as the path `M1 2h1v1h-1z...`, in a square of `size` cells. */
export function readCode(size: number, path: string): string | null {
  const width = size * SCALE;
  const pixels = new Uint8ClampedArray(4 * width * width).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < SCALE; row++) {
      const first = 4 * ((Number(y) * SCALE + row) * width + Number(x) * SCALE);
      for (let i = first; i < first + 4 * SCALE; i++) if (i % 4 !== 3) pixels[i] = 0;
    }
  }
  return read(pixels, width, width)?.data ?? null;
}

/** TypeScript takes the package for an ES module, which it is not. */
const read = ((readQr as unknown as { default?: typeof readQr.default }).default ?? readQr) as typeof readQr.default;
