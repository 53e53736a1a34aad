import { createRequire } from 'node:module';

/** Settings that serialport's native `open` wants, all of them. */
interface OpenSettings {
  readonly baudRate: number;
  readonly dataBits: 8;
  readonly stopBits: 1;
  readonly parity: 'none';
  readonly rtscts: boolean;
  readonly xon: boolean;
  readonly xoff: boolean;
  readonly xany: boolean;
  /** Drops DTR on the last close. */
  readonly hupcl: boolean;
  /** Takes an advisory lock, after the settings were applied. */
  readonly lock: boolean;
  readonly vmin: number;
  readonly vtime: number;
}

interface LineSettings {
  readonly brk: boolean;
  readonly rts: boolean;
  readonly dtr: boolean;
  readonly cts: boolean;
  readonly dsr: boolean;
  readonly lowLatency: boolean;
}

/** The calls of serialport's native module that need no event loop of their own. */
interface NativeSerial {
  asyncOpen(path: string, settings: OpenSettings): Promise<number>;
  asyncClose(fd: number): Promise<void>;
  asyncSet(fd: number, settings: LineSettings): Promise<void>;
  asyncGet(fd: number): Promise<{ readonly lowLatency: boolean }>;
  asyncGetBaudRate(fd: number): Promise<{ readonly baudRate: number }>;
}

let loaded: NativeSerial | null = null;

/**
 * serialport's native module without its binding class: that class always makes its poller on the event loop of the
 * main thread, and the control loop runs in a worker thread (`poller.cpp` of `@serialport/bindings-cpp` 13.0.0,
 * `uv_default_loop`).
 */
export function nativeSerial(): NativeSerial {
  if (loaded) return loaded;
  const here = createRequire(import.meta.url);
  // The module is a dependency of serialport, not of this package, so it is resolved from there.
  loaded = createRequire(here.resolve('serialport'))('@serialport/bindings-cpp/dist/load-bindings.js') as NativeSerial;
  return loaded;
}

/** Settings of servo buses: 8N1 without flow control, raw bytes, a read returns as soon as one byte has come. */
export function busSettings(baudRate: number): OpenSettings {
  return {
    baudRate,
    dataBits: 8,
    stopBits: 1,
    parity: 'none',
    rtscts: false,
    xon: false,
    xoff: false,
    xany: false,
    hupcl: true,
    lock: true,
    vmin: 1,
    vtime: 0,
  };
}

/** Modem lines as they stand after an open, so that asking for low latency changes nothing else. */
export const LOW_LATENCY: LineSettings = { brk: false, rts: true, dtr: true, cts: false, dsr: false, lowLatency: true };
