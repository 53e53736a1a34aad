import { systemClock } from '../../clock.ts';
import type { SetupLine } from '../../servo/assign.ts';
import { type Bench, benchAt } from '../../servo/bench.ts';
import { makePort } from '../../servo/port/make.ts';
import { atRate } from '../../servo/port/url.ts';
import type { ServoFamily } from '../../servo/servo-family.ts';
import { wantedRate } from '../../setup/arm.ts';
import { finishing } from '../servo-access.ts';

/** The bus of an arm, which can be opened at any baud rate. */
export function lineOf(bus: string, family: ServoFamily): SetupLine {
  return {
    name: bus,
    async open(baudRate) {
      const port = makePort(baudRate === null ? bus : atRate(bus, baudRate), systemClock);
      await port.open();
      return { client: family.makeClient(port), close: () => port.close() };
    },
  };
}

/** The servos of an arm on its bus; signals do not interrupt their writes. */
export function benchOf(bus: string, line: SetupLine): Bench {
  return benchAt(line, wantedRate(bus), { whole: finishing });
}
