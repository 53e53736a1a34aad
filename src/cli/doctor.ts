import type { Command } from 'commander';
import { ArmModelError, loadArmModel } from '../arm/model.ts';
import { ConfigError, DEFAULT_CONFIG_FILE, loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { armFindings } from './doctor/arms.ts';
import { type Finding, fault, shown } from './doctor/finding.ts';
import { clockFindings, nodeFinding, priorityFinding, rosFinding } from './doctor/machine.ts';
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
  const findings = [node, await rosFinding(config.ros.enabled), ...(await portFindings())];
  for (const { name, bus, model, variant } of config.arms) {
    try {
      findings.push(...(await armFindings({ name, bus, model: loadArmModel(model, variant) })));
    } catch (error) {
      if (!(error instanceof ArmModelError)) throw error;
      findings.push(
        fault(`arm ${name}`, error.message, 'robots/README.md says what belongs into the folder of an arm'),
      );
    }
  }
  return [...findings, ...clockFindings(), priorityFinding(config.control.priority)];
}

/** Adds `arm-bridge doctor` to the program: looks at this machine and at the arms of a configuration, and changes nothing. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Looks at ROS 2, serial ports, servos, clock and priority, and says what to do. Changes nothing.')
    .option('--config <file>', 'configuration whose arms are looked at', DEFAULT_CONFIG_FILE)
    .option('--json', 'as JSON, for programs')
    .addHelpText('after', '\nEnds with 0 when nothing must be done, 1 when something does not work until it is.')
    .action(async (options: DoctorOptions) => {
      const findings = await findingsOf(options);
      process.stdout.write(options.json ? `${JSON.stringify({ findings }, null, 2)}\n` : `${shown(findings)}\n`);
      process.exitCode = findings.some(({ level }) => level === 'fault') ? EXIT.failed : EXIT.ok;
    });
}
