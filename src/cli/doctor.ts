import { join } from 'node:path';
import type { Command } from 'commander';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { ArmModelError, loadArmModel } from '../arm/model.ts';
import { CalibrationFileError, CalibrationStore } from '../calibration/calibration-store.ts';
import { ConfigError, loadConfig, usualConfigFile } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { armFindings } from './doctor/arms.ts';
import { type Finding, fault, shown } from './doctor/finding.ts';
import { clockFindings, nodeFinding, priorityFinding, rosFindings } from './doctor/machine.ts';
import { portFindings } from './doctor/ports.ts';
import { EXIT } from './servo-access.ts';

interface DoctorOptions {
  readonly config: string;
  readonly json?: boolean;
}

function read(file: string): { config: Config } | { finding: Finding } {
  try {
    return { config: loadConfig(file, process.env) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { finding: fault('configuration', error.message, `correct ${file}; config/default.yaml is an example`) };
  }
}

async function findingsOf(options: DoctorOptions): Promise<Finding[]> {
  const node = nodeFinding();
  const given = read(options.config);
  if ('finding' in given) return [node, given.finding, ...(await portFindings()), ...clockFindings()];
  const { config } = given;
  const findings = [node, ...(await rosFindings(config.ros)), ...(await portFindings())];
  const state = config.state_folder ?? defaultStateFolder();
  const calibrations = new CalibrationStore(config.calibration_folder ?? join(state, 'calibration'));
  for (const { name, bus, model: folder, variant } of config.arms) {
    const subject = `arm ${name}`;
    try {
      const model = loadArmModel(folder, variant);
      const calibration = bus.startsWith('sim:') || bus === 'ros' ? null : calibrations.read(name, model);
      findings.push(...(await armFindings({ name, bus, model, calibration })));
    } catch (error) {
      if (error instanceof ArmModelError) {
        // The bridge starts without an arm, but not without its model.
        const words = `${subject}: ${error.message}`;
        findings.push(fault('configuration', words, 'robots/README.md says what belongs into the folder of an arm'));
      } else if (error instanceof CalibrationFileError) {
        findings.push(fault(subject, error.message, 'docs/hardware.md, Calibration, says how an arm is calibrated'));
      } else throw error;
    }
  }
  return [...findings, ...clockFindings(), priorityFinding(config.control.priority)];
}

/** Adds `arm-bridge doctor` to the program: checks this machine and the arms of a configuration; changes nothing. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Looks at ROS 2, serial ports, servos, clock and priority, and says what to do. Changes nothing.')
    .option('--config <file>', 'configuration whose arms are looked at', usualConfigFile())
    .option('--json', 'as JSON, for programs')
    .addHelpText('after', '\nEnds with 0 when nothing must be done, 1 when something does not work until it is.')
    .action(async (options: DoctorOptions) => {
      const findings = await findingsOf(options);
      process.stdout.write(options.json ? `${JSON.stringify({ findings }, null, 2)}\n` : `${shown(findings)}\n`);
      process.exitCode = findings.some(({ level }) => level === 'fault') ? EXIT.failed : EXIT.ok;
    });
}
