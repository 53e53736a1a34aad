import { FAMILIES } from '../families.ts';

/** What a USB adapter suggests about the bus behind it. */
export interface AdapterFingerprint {
  /** USB vendor id, four lower-case hexadecimal digits. */
  readonly vendorId: string;
  /** USB product id; null matches every product of the vendor. */
  readonly productId: string | null;
  readonly name: string;
  /** Name of the servo family that such an adapter usually drives; null when it can be anything. */
  readonly family: string | null;
  /** Arms that are usually delivered with it, by model. */
  readonly arms: readonly string[];
}

/**
 * USB adapters of low-cost arms: those of the servo families, then those that drive anything. Ids: the USB ID Repository
 * (linux-usb.org/usb.ids) and the makers' product pages (Waveshare Bus Servo Adapter (A): CH343; ROBOTIS U2D2: FT232H;
 * OpenRB-150: ROBOTIS' own id). An adapter is a hint, never a proof: only the servos' own model numbers say what an arm is.
 */
export const ADAPTERS: readonly AdapterFingerprint[] = [
  ...FAMILIES.flatMap(({ name: family, adapters }) => adapters.map((adapter) => ({ ...adapter, family }))),
  { vendorId: '1a86', productId: '55d4', name: 'WCH CH9102', family: null, arms: [] },
  { vendorId: '10c4', productId: 'ea60', name: 'Silicon Labs CP210x', family: null, arms: [] },
  { vendorId: '0403', productId: '6001', name: 'FTDI FT232R', family: null, arms: [] },
  { vendorId: '0403', productId: '6015', name: 'FTDI FT-X', family: null, arms: [] },
];

/** Arms that an adapter suggests: those it is delivered with, else those of the other adapters of its family. */
export function likelyArms({ arms, family }: AdapterFingerprint): readonly string[] {
  if (arms.length > 0 || family === null) return arms;
  return [...new Set(ADAPTERS.filter((row) => row.family === family).flatMap((row) => row.arms))];
}

/** The first fingerprint that fits, or null. */
export function recogniseAdapter(vendorId: string | null, productId: string | null): AdapterFingerprint | null {
  const fits = (row: AdapterFingerprint): boolean =>
    row.vendorId === vendorId && (row.productId === null || row.productId === productId);
  return ADAPTERS.find(fits) ?? null;
}
