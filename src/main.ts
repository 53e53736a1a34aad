#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// A collection of young objects copies those still in use. If their space may grow to 16 MB, as it does while the
// bridge starts, that takes up to 9 ms, during which nothing is answered.
setFlagsFromString('--semi-space-growth-factor=1');
// A thread that has had little to do for 8 s collects all its garbage, to give memory back: up to 30 ms during which the
// control thread misses cycles, and the main thread answers nobody. The first collection begins that time, so that this
// has to be set before anything else is loaded.
setFlagsFromString('--gc-memory-reducer-start-delay-ms=86400000');
await import('./program.ts');
