import type { Command } from 'commander';
import { describePorts, discoverPorts, lastingUrl, type PortInfo } from '../servo/port/discovery.ts';
import { findHolders } from '../servo/port/holders.ts';

async function block(port: PortInfo, bus: string): Promise<string> {
  const name = [port.vendor, port.product].filter((part) => part !== null).join(' ');
  const ids = port.vendorId === null ? '' : ` (${port.vendorId}:${port.productId})`;
  const { adapter } = port;
  const users = (await findHolders(port.path)).map(({ pid, command }) => `process ${pid} (${command})`);
  const rows: [string, string][] = [
    ['bus', bus],
    ['by id', port.byId ?? ''],
    ['device', `${name}${ids}`.trim()],
    ['adapter', adapter?.name ?? ''],
    ['likely', adapter ? adapter.arms.join(' or ') || (adapter.family ? `${adapter.family} servos` : '') : ''],
    ['latency', port.latencyTimer === null ? '' : `${port.latencyTimer} ms`],
    ['in use by', users.join(', ')],
  ];
  const lines = rows.filter(([, value]) => value !== '').map(([key, value]) => `  ${key.padEnd(9)} ${value}`);
  return [port.path, ...lines].join('\n');
}

/** Adds `arm-bridge ports` to the program: the serial ports of this machine and what is likely behind them. */
export function addPorts(program: Command): void {
  program
    .command('ports')
    .description('Lists the serial ports of this machine with what is likely behind them, and their bus URLs.')
    .option('--json', 'as JSON, for programs')
    .action(async (options: { readonly json?: boolean }) => {
      const ports = await discoverPorts();
      if (options.json) {
        const rows = ports.map((port) => ({ bus: lastingUrl(port, ports), ...port }));
        process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      } else if (ports.length === 0) process.stdout.write(`${describePorts(ports)}\n`);
      else {
        const blocks = await Promise.all(ports.map((port) => block(port, lastingUrl(port, ports))));
        process.stdout.write(`${blocks.join('\n')}\n`);
      }
    });
}
