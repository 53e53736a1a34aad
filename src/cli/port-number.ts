import { InvalidArgumentError } from 'commander';

/** Option parser: a TCP port; 0 is a free one. */
export function portNumber(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= 0 && port <= 65535)) throw new InvalidArgumentError('a whole number from 0 to 65535 is expected.');
  return port;
}
