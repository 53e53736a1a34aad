import { accessSync, constants } from 'node:fs';
import { basename } from 'node:path';
import { discoverPorts, lastingUrl, type PortInfo } from '../../servo/port/discovery.ts';
import { findHolders } from '../../servo/port/holders.ts';
import { permissionAdvice } from '../../servo/port/serial-errors.ts';
import { type Finding, fault, note, ok } from './finding.ts';

function mayOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function findingsOf(port: PortInfo, ports: readonly PortInfo[]): Promise<Finding[]> {
  const { path, latencyTimer, adapter } = port;
  const subject = `port ${path}`;
  const name = adapter?.name ?? [port.vendor, port.product].filter((part) => part !== null).join(' ');
  const found = `${name === '' ? 'serial port' : name}, ${lastingUrl(port, ports)}`;
  if (!mayOpen(path)) {
    // Most computers have on-board ports, which seldom belong to an arm.
    const judged = port.vendorId === null ? note : fault;
    return [judged(subject, `${found}: no permission to open it`, await permissionAdvice(path))];
  }
  const findings: Finding[] = [];
  const holders = await findHolders(path);
  if (holders.length > 0) {
    const who = holders.map(({ pid, command }) => `process ${pid} (${command})`).join(', ');
    findings.push(
      note(
        subject,
        `${found}: in use by ${who}`,
        'if that is the bridge, all is well; its servos are seen only without it',
      ),
    );
  }
  if (latencyTimer !== null && latencyTimer > 1) {
    findings.push(
      note(
        subject,
        `${found}: latency timer ${latencyTimer} ms, so that replies come late`,
        `echo 1 | sudo tee /sys/bus/usb-serial/devices/${basename(path)}/latency_timer`,
      ),
    );
  }
  return findings.length > 0 ? findings : [ok(subject, found)];
}

/** Findings about the serial ports of this machine: permission, processes that use them, latency timer. */
export async function portFindings(): Promise<Finding[]> {
  const ports = await discoverPorts();
  if (ports.length === 0) return [ok('ports', 'this machine has no serial port')];
  return (await Promise.all(ports.map((port) => findingsOf(port, ports)))).flat();
}
