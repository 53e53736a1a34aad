/**
 * A pure function of a text, with its latest results kept: arms of one model, and the parts of one process, read the
 * same files. Results are shared, so nobody may change one.
 *
 * @param make may throw; an error is not kept
 * @param most how many results are kept
 */
export function keeping<T>(make: (text: string) => T, most = 8): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    const result = known ?? make(text);
    // The order of a Map is that of insertion: what was asked for last is at its end.
    results.delete(text);
    results.set(text, result);
    if (results.size > most) results.delete(results.keys().next().value!);
    return result;
  };
}
