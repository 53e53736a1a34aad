import type { Clock } from '../../clock.ts';
import { discoverPorts, type PortInfo } from '../../servo/port/discovery.ts';

/** Poll interval of the ports, s: much faster than a hand. */
const INTERVAL = 0.2;
/** Time that udev needs to make links and set permissions after a port appears, s. */
const SETTLING = 0.5;

/** What the user must do next, or the port that was unplugged and plugged in again. */
export type ReplugState =
  | { readonly step: 'unplug' }
  | { readonly step: 'plug in' }
  /** Several ports came or went at once, like those behind a hub. */
  | { readonly step: 'again'; readonly paths: readonly string[] }
  | { readonly step: 'found'; readonly port: PortInfo };

/**
 * Finds a port that disappears and appears again: the one that comes back, under any device file, or one that was not
 * there at the start.
 */
export class Replug {
  readonly #start: readonly PortInfo[];
  #present: readonly PortInfo[];
  #gone: PortInfo | null = null;

  /** @param start the ports at the start */
  constructor(start: readonly PortInfo[]) {
    this.#start = start;
    this.#present = start;
  }

  /** Compares the present ports with the ones before. */
  see(ports: readonly PortInfo[]): ReplugState {
    const before = this.#present;
    this.#present = ports;
    const come = ports.filter((port) => !before.some((other) => same(port, other)));
    const went = before.filter((port) => !ports.some((other) => same(port, other)));
    const wanted = this.#gone;
    const back = come.find((port) =>
      wanted === null ? !this.#start.some((old) => same(old, port)) : alike(port, wanted),
    );
    if (back !== undefined && come.length === 1) return { step: 'found', port: back };
    if (went.length > 1 || come.length > 1) {
      this.#gone = null;
      return { step: 'again', paths: (went.length > 1 ? went : come).map(({ path }) => path) };
    }
    this.#gone = went[0] ?? wanted;
    return this.#gone === null ? { step: 'unplug' } : { step: 'plug in' };
  }
}

/** Whether both are the same adapter on the same device file. */
function same(port: PortInfo, other: PortInfo): boolean {
  return port.path === other.path && alike(port, other);
}

/** Whether both are the same adapter, whatever its device file. */
function alike(port: PortInfo, other: PortInfo): boolean {
  return (
    port.vendorId === other.vendorId && port.productId === other.productId && port.serialNumber === other.serialNumber
  );
}

/**
 * Waits until the user has unplugged an adapter and plugged it in again.
 * @param limit s
 * @param onStep called with the next instruction whenever it changes
 * @param root folder that holds `sys` and `dev`
 * @returns the port; null on timeout
 */
export async function awaitReplug(
  clock: Clock,
  limit: number,
  onStep: (state: ReplugState) => void,
  root = '/',
): Promise<PortInfo | null> {
  const replug = new Replug(await discoverPorts(root));
  const deadline = clock.now() + limit;
  let shown = '';
  while (clock.now() < deadline) {
    const state = replug.see(await discoverPorts(root));
    if (state.step === 'found') {
      await clock.sleep(SETTLING);
      return (await discoverPorts(root)).find((port) => same(port, state.port)) ?? state.port;
    }
    if (state.step !== shown) onStep(state);
    shown = state.step === 'again' ? 'unplug' : state.step;
    await clock.sleep(INTERVAL);
  }
  return null;
}

/** Instruction for the user. */
export function replugAdvice(state: ReplugState): string {
  switch (state.step) {
    case 'unplug':
      return "unplug the USB cable of the arm's adapter, and plug it in again";
    case 'plug in':
      return 'now plug it in again';
    case 'again':
      return `${state.paths.join(' and ')} came or went at once: unplug the adapter itself, not a hub, and plug it in again`;
    case 'found':
      return `found: ${state.port.path}`;
  }
}
