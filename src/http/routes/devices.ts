import type { FastifyInstance } from 'fastify';
import type { HttpServices } from '../services.ts';

/** /local/scan-devices: the serial ports of this machine. Only looks; what is used is in the configuration. */
export function deviceRoutes(app: FastifyInstance, services: HttpServices): void {
  app.post('/local/scan-devices', async () => ({
    devices: (await services.devices()).map((port) => ({
      name: [port.vendor, port.product].filter((part) => part !== null).join(' ') || (port.adapter?.name ?? port.path),
      device: port.path,
      serial_number: port.serialNumber,
      pid: port.productId === null ? null : Number.parseInt(port.productId, 16),
      interface: port.byId,
    })),
  }));
}
