import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PseudoTerminal } from '../../../../src/sim/terminal.ts';
import type { Device } from '../../../support/rig.ts';

/** A real pseudo-terminal to emulated servos, which live on this thread. It is there once it has been plugged in. */
export class SerialEnd {
  readonly #folder = mkdtempSync(join(tmpdir(), 'arm-bridge-serial-'));
  readonly #device: Device;
  #terminal: PseudoTerminal | null = null;

  constructor(device: Device) {
    this.#device = device;
    device.onReply = (bytes) => this.#terminal?.write(bytes);
  }

  /** Where the port is found, whatever its terminal is called today. */
  get path(): string {
    return join(this.#folder, 'port');
  }

  async plugIn(): Promise<void> {
    const terminal = await PseudoTerminal.open((chunk) => this.#device.feed(chunk));
    symlinkSync(terminal.path, this.path);
    this.#terminal = terminal;
  }

  async unplug(): Promise<void> {
    const terminal = this.#terminal;
    this.#terminal = null;
    rmSync(this.path, { force: true });
    await terminal?.close();
  }

  async close(): Promise<void> {
    await this.unplug();
    rmSync(this.#folder, { recursive: true });
  }
}
