import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Bridge } from '../../../../src/bridge.ts';
import { systemClock } from '../../../../src/clock.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import type { PortInfo } from '../../../../src/servo/port/discovery.ts';
import { calibrate } from '../../../support/calibration.ts';
import { startBridge } from '../../../support/compiled-bridge.ts';
import { favour } from '../../../support/favour.ts';
import { Rig, SO101 } from '../../../support/rig.ts';
import { BridgeClient } from '../../support/bridge.ts';
import { SerialEnd } from './serial-end.ts';

/** A rig behind a real pseudo-terminal. It lives on this thread; the bridge's control thread is the other end. */
export class SerialRig extends Rig {
  readonly line = new SerialEnd(this);

  static async start(): Promise<SerialRig> {
    favour();
    const rig = new SerialRig(systemClock);
    await rig.line.plugIn();
    return rig;
  }

  get path(): string {
    return this.line.path;
  }

  async close(): Promise<void> {
    this.end();
    await this.line.close();
  }
}

/** A bridge whose arms are these, by HTTP and by its log. */
export class RigBridge extends BridgeClient {
  readonly #bridge: Bridge;
  readonly #folder: string;
  /** Lines of the log from the level `warn` on. */
  readonly warnings: string[];

  private constructor(bridge: Bridge, folder: string, warnings: string[]) {
    super();
    this.#bridge = bridge;
    this.#folder = folder;
    this.warnings = warnings;
    this.url = `http://127.0.0.1:${bridge.address.port}`;
  }

  /**
   * @param buses URL of each arm's bus by the arm's name; ids count from 0
   * @param control what is special about the control loop
   * @param scan ports that it finds; left out: those of this machine
   * @param calibrated names of arms that are; left out: all of `buses`
   */
  static async start(
    buses: Readonly<Record<string, string>>,
    control: object = {},
    scan?: () => Promise<PortInfo[]>,
    calibrated: readonly string[] = Object.keys(buses),
  ): Promise<RigBridge> {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-buses-'));
    const file = join(folder, 'bridge.yaml');
    calibrate(folder, calibrated, SO101);
    const arms = Object.entries(buses).map(([name, bus]) => ({ name, model: 'so101', bus }));
    // Half the usual rate: both ends of the line share two cores with whatever else is tested.
    writeFileSync(file, JSON.stringify({ state_folder: folder, control: { rate: 100, ...control }, arms }));
    const warnings: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
    const bridge = await startBridge(
      loadConfig(file, {}, { port: 0, ros: false }),
      logger,
      {},
      scan === undefined ? {} : { scanPorts: scan },
    );
    return new RigBridge(bridge, folder, warnings);
  }

  /** Warnings that contain this text. */
  told(text: string): string[] {
    return this.warnings.filter((line) => line.includes(text));
  }

  async close(): Promise<void> {
    await this.#bridge.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
