const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `listener` on each signal that asks the program to end. Keep the listener until the program has ended: one
 * Ctrl-C through npm arrives several times, and the later signals must not cut the end short.
 * @returns a function that lets the signals end the program again
 */
export function onEndingSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of ENDING) process.on(signal, listener);
  return () => {
    for (const signal of ENDING) process.off(signal, listener);
  };
}
