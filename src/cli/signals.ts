const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `listener` at each signal that asks a program to end. The listener is to stay until the program has ended: one
 * Ctrl-C through npm arrives several times, and the later ones must not cut the end short.
 * @returns lets the signals end the program again
 */
export function onEndingSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of ENDING) process.on(signal, listener);
  return () => {
    for (const signal of ENDING) process.off(signal, listener);
  };
}
