import { z } from 'zod';
import { LONGEST_NAME } from '../../sizes.ts';
import { fitting } from '../answer-size.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { asMap, asModel, components, LONGEST_PATH, word } from '../fields.ts';
import { CONFLICT, route, takeOver, UNKNOWN_ARM } from '../route.ts';
import { failed, ok, outcome, statusAnswer } from '../schemas.ts';

const optional = (most: number, description: string) => word(most).nullable().prefault(null).describe(description);

const connectionDetails = z
  .object(
    {
      device_name: optional(LONGEST_PATH, 'Device file, or the link to it, as /local/scan-devices shows them.'),
      serial_number: optional(LONGEST_NAME, 'Serial number of its USB adapter, as /local/scan-devices shows it.'),
      bus: optional(
        LONGEST_PATH,
        'Its bus as in the configuration: serial:..., sim:<model>, or a network bus that is named there.',
      ),
      variant: optional(LONGEST_NAME, 'Build of the model, for one that is to be added; follower when left out.'),
    },
    asMap,
  )
  .describe('Empty for an arm that the bridge knows by its name; otherwise one of the first three.')
  .register(components, { id: 'ConnectionDetails' });

const robotConnectionRequest = z
  .object(
    {
      robot_name: word(LONGEST_NAME).describe(
        'Name of an arm of this bridge, or the model of one that is to be added: a folder of robots/, or so-100, so-101, ' +
          'koch-v1.1 or wx-250s.',
      ),
      connection_details: connectionDetails,
    },
    asModel,
  )
  .register(components, { id: 'RobotConnectionRequest' });

const robotConnectionResponse = z
  .object({ ...outcome, robot_id: z.int().describe('Id of the arm, by which all other requests name it.') })
  .register(components, { id: 'RobotConnectionResponse' });

const scanDevicesResponse = z
  .object({
    devices: z.array(
      z
        .object({
          name: z.string().describe('What the device calls itself, or what it is taken for.'),
          device: z.string().describe('Device file.'),
          serial_number: z.string().nullable().describe('USB serial number.'),
          pid: z.int().nullable().describe('USB product id.'),
          interface: z.string().nullable().describe('Link that stays the same over replugging.'),
        })
        .register(components, { id: 'LocalDevice' }),
    ),
  })
  .register(components, { id: 'ScanDevicesResponse' });

/** Model names that existing clients use. */
const MODELS: ReadonlyMap<string, string> = new Map([
  ['so-100', 'so100'],
  ['so-101', 'so101'],
  ['koch-v1.1', 'koch'],
  ['wx-250s', 'wx250s'],
]);

export const connectionRoutes = [
  route({
    method: 'POST',
    path: '/robot/add-connection',
    access: 'control',
    act: 'configuration',
    id: 'add_connection',
    tag: 'control',
    summary: 'Connect an arm',
    description:
      'One that has been disconnected, or one that is added: on a port that /local/scan-devices shows, or simulated ' +
      'where the configuration has simulated arms. Torque stays as it is. Answers once the arm does.',
    target: 'none',
    body: { schema: robotConnectionRequest, example: { robot_name: 'follower', connection_details: {} } },
    answer: {
      description: 'The arm answers.',
      schema: robotConnectionResponse,
      example: {
        ...ok('Robot connection to follower added: follower, a SO-101'),
        robot_id: 1,
      },
    },
    refusals: { 400: 'There is no such arm, model or device, or the arm does not answer within 5 s.' },
    handler: async ({ services }, { body }) => {
      const { device_name: device, serial_number: serialNumber, bus, variant } = body.connection_details;
      const name = MODELS.get(body.robot_name) ?? body.robot_name;
      try {
        const arm = await services.connections.connect({ name, device, serialNumber, bus, variant });
        const message = `Robot connection to ${body.robot_name} added: ${arm.name}, a ${arm.model.title}`;
        return { ...ok(message), robot_id: arm.id };
      } catch (error) {
        const problem = asProblem(error, { route: '/robot/add-connection' });
        if (!(problem instanceof HttpProblem)) throw problem;
        const message = `Failed to add robot connection: ${problem.message}`;
        throw new HttpProblem(problem.status, message, problem.headers, problem.named);
      }
    },
  }),
  route({
    method: 'POST',
    path: '/robot/disconnect',
    access: 'control',
    act: 'configuration',
    id: 'disconnect_robot',
    tag: 'control',
    summary: 'Disconnect an arm',
    description:
      'It is lowered and its torque switched off, then its bus is let go of. Mirroring with it ends. Its id stays its ' +
      'own.',
    target: 'one',
    query: { take_over: takeOver },
    answer: statusAnswer('Robot connection to 1 removed successfully'),
    refusals: { 400: UNKNOWN_ARM, 409: CONFLICT },
    handler: async ({ services, callers }, { arm, query }, reply) => {
      const problem = await callers.run(reply, query, (caller) => services.connections.disconnect(arm, caller));
      return problem === null ? ok(`Robot connection to ${arm.id} removed successfully`) : failed(problem);
    },
  }),
  route({
    method: 'POST',
    path: '/local/scan-devices',
    access: 'read',
    id: 'scan_devices',
    tag: 'control',
    summary: 'List the serial ports of this machine',
    description: 'Only looks; nothing is opened.',
    target: 'none',
    answer: {
      description: 'In the order of their names.',
      schema: scanDevicesResponse,
      example: {
        devices: [
          {
            name: 'USB Single Serial',
            device: '/dev/ttyACM0',
            serial_number: '58FA1234',
            pid: 21971,
            interface: '/dev/serial/by-id/usb-1a86_USB_Single_Serial_58FA1234-if00',
          },
        ],
      },
    },
    refusals: {},
    handler: async ({ services }) => ({
      devices: fitting(
        (await services.devices()).map((port) => ({
          name:
            [port.vendor, port.product].filter((part) => part !== null).join(' ') || (port.adapter?.name ?? port.path),
          device: port.path,
          serial_number: port.serialNumber,
          pid: port.productId === null ? null : Number.parseInt(port.productId, 16),
          interface: port.byId,
        })),
      ),
    }),
  }),
];
