import { z } from 'zod';
import { asMap, asModel, components, word } from './fields.ts';

const optional = (description: string) => word().nullable().prefault(null).describe(description);

export const robotConnectionRequest = z
  .object(
    {
      robot_name: word().describe('Name of an arm of this bridge, or the model of one that is to be added.'),
      connection_details: z
        .object(
          {
            device_name: optional('Device file, or the link to it, as /local/scan-devices shows them.'),
            serial_number: optional('Serial number of its USB adapter, as /local/scan-devices shows it.'),
            bus: optional('Its bus as the configuration would name it: serial, simulated, or one that is named there.'),
            variant: optional('Build of the model, for one that is to be added; follower when left out.'),
          },
          asMap,
        )
        .describe('Empty for an arm that the bridge knows by its name.'),
    },
    asModel,
  )
  .register(components, { id: 'RobotConnectionRequest' });

export const robotConnectionResponse = z
  .looseObject({
    status: z.enum(['ok', 'error']).default('ok'),
    message: z.string().nullable().optional(),
    robot_id: z.int().describe('Id of the arm, by which all other requests name it.'),
  })
  .register(components, { id: 'RobotConnectionResponse' });
export type RobotConnectionResponse = z.output<typeof robotConnectionResponse>;
