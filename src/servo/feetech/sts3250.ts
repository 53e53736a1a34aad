import { register } from '../registers.ts';
import { STS3215 } from './sts3215.ts';

/** Feetech STS3250: the STS3215's control table under a model number of its own, with a stronger motor. */
export const STS3250 = {
  ...STS3215,
  model: 'STS3250',
  modelNumber: 2825,
  supplies: [12],
  /** Nm (the nominal 50 kg cm at 12 V; not measured). Only efforts in Nm depend on it, no limit does. */
  stallTorque: 4.9,
  torquePerEffort: 4.9,
  registers: { ...STS3215.registers, model_number: register(3, 2, 'read', 2825) },
} as const;
