import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describePorts, discoverPorts } from './discovery.ts';
import { findHolders, type Holder } from './holders.ts';
import { PortError } from './port.ts';

/** File of our udev rules; its number puts it before the system's own rules on device access. */
export const RULES_FILE = '/etc/udev/rules.d/70-arm-bridge.rules';

/** The port is in use. */
export function busyError(url: string, path: string, holders: readonly Holder[]): PortError {
  const own = holders.some(({ pid }) => pid === process.pid);
  const others = holders.filter(({ pid }) => pid !== process.pid);
  const parts = others.map(({ pid, command }) => `process ${pid}${command === '' ? '' : ` (${command})`}`);
  if (own) parts.unshift('this bridge itself');
  if (parts.length === 0) {
    return new PortError(
      'busy',
      `${url}: ${path} is in use by a process that only root can see; name it with: sudo fuser -v ${path}`,
    );
  }
  const advice = own && others.length === 0 ? 'give each arm a bus of its own' : 'end it, then it works';
  return new PortError('busy', `${url}: ${path} is in use by ${parts.join(' and ')}; ${advice}`);
}

/** Meaning of each system error, by its name or by words of its message. */
const CAUSES: readonly [RegExp, 'missing' | 'denied' | 'busy' | 'gone' | 'other' | 'baud'][] = [
  [/ENOENT|No such file/i, 'missing'],
  [/EACCES|EPERM|Permission denied|Operation not permitted|Access denied/i, 'denied'],
  [/EBUSY|Device or resource busy|Cannot lock port|Resource temporarily unavailable/i, 'busy'],
  [/ENXIO|ENODEV|EIO|No such device|Input\/output error/i, 'gone'],
  [/ENOTTY|Inappropriate ioctl/i, 'other'],
  [/baud/i, 'baud'],
];

/**
 * Why a serial port could not be opened, in words.
 * @param cause name of the system's error (EACCES) or a message that contains its text
 * @param root folder that holds `sys`, `dev` and `etc`
 */
export async function openError(url: string, path: string, cause: string, root = '/'): Promise<PortError> {
  switch (CAUSES.find(([pattern]) => pattern.test(cause))?.[1]) {
    case 'missing':
      return new PortError('not_found', `${url}: there is no ${path}. ${describePorts(await discoverPorts(root))}`);
    case 'denied':
      return new PortError(
        'permission',
        `${url}: no permission to open ${path}. ${await permissionAdvice(path, root)}`,
      );
    case 'busy':
      return busyError(url, path, await findHolders(path));
    case 'gone':
      return new PortError(
        'closed',
        `${url}: ${path} does not answer (${cause}); unplug the adapter, plug it in again and check the arm's supply`,
      );
    case 'other':
      return new PortError(
        'unsupported',
        `${url}: ${path} is no serial port; name the adapter's device file. ${describePorts(await discoverPorts(root))}`,
      );
    case 'baud':
      return new PortError(
        'unsupported',
        `${url}: ${path} cannot be set to this baud rate (${cause}); name one that the adapter knows (?baud=...)`,
      );
    case undefined:
      return new PortError('failed', `${url}: ${path} cannot be opened (${cause})`);
  }
}

async function groupName(gid: number, root: string): Promise<string> {
  const lines = await readFile(join(root, 'etc/group'), 'utf8').catch(() => '');
  const line = lines.split('\n').find((entry) => entry.split(':')[2] === String(gid));
  return line?.split(':')[0] ?? 'dialout';
}

/**
 * The udev rule that lets users open a serial port: it matches the USB adapter in any USB socket, or the device file of
 * a port that is not behind USB.
 * @param root folder that holds `sys`, `dev` and `etc`
 */
export async function accessRule(path: string, root = '/'): Promise<{ readonly group: string; readonly rule: string }> {
  const gid = (await stat(join(root, path)).catch(() => null))?.gid ?? -1;
  // The root group gives users no access; systems set up for serial ports give them to dialout.
  const group = gid > 0 ? await groupName(gid, root) : 'dialout';
  const device = await realpath(join(root, path)).catch(() => join(root, path));
  const port = (await discoverPorts(root)).find((known) => basename(known.path) === basename(device));
  const match = port?.vendorId
    ? `SUBSYSTEM=="tty", ATTRS{idVendor}=="${port.vendorId}", ATTRS{idProduct}=="${port.productId}"`
    : `KERNEL=="${basename(device)}"`;
  return { group, rule: `${match}, MODE="0660", GROUP="${group}", TAG+="uaccess"` };
}

/**
 * How to get permission for a device file: the group to join, and a udev rule for the adapter.
 * @param root folder that holds `sys`, `dev` and `etc`
 */
export async function permissionAdvice(path: string, root = '/'): Promise<string> {
  const { group, rule } = await accessRule(path, root);
  return (
    `Either join its group (sudo usermod -aG ${group} "$USER", then log in again), or write this line to ${RULES_FILE}: ` +
    `${rule} (then: sudo udevadm control --reload && sudo udevadm trigger; ${dirname(RULES_FILE)} must exist)`
  );
}
