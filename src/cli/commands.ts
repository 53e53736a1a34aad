import type { Command } from 'commander';
import { addBackup } from './backup.ts';
import { addCalibrate } from './calibrate.ts';
import { addCall } from './call.ts';
import { addDoctor } from './doctor.ts';
import { addExport } from './export.ts';
import { addHealth } from './health.ts';
import { addInstall } from './install.ts';
import { addPorts } from './ports.ts';
import { addRegisters } from './registers.ts';
import { addScan } from './scan.ts';
import { addSetup } from './setup.ts';
import { addSimulate } from './simulate.ts';
import { addToken } from './token.ts';

/** Adds all commands besides the bridge itself. @param defaultConfig file that is used when none is named */
export function addCommands(program: Command, defaultConfig: string): void {
  addDoctor(program);
  addHealth(program);
  addCall(program);
  addInstall(program);
  addBackup(program);
  addExport(program);
  addPorts(program);
  addScan(program);
  addRegisters(program);
  addSimulate(program);
  addSetup(program);
  addCalibrate(program, defaultConfig);
  addToken(program, defaultConfig);
}
