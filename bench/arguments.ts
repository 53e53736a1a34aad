/** The command lines of the benchmark programs. One that cannot be meant ends the program with 2. */

function refuse(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

/** True for `--short`: everything runs, nothing is measured. */
export const short = process.argv.includes('--short');

/** True for `--write`: the result is kept in bench/results. */
export const write = process.argv.includes('--write');

/** The number that follows `name`, at least `least`; `fallback` without it. */
export function option(name: string, fallback: number, { least = 0, whole = true } = {}): number {
  const at = process.argv.indexOf(name);
  if (at < 0) return fallback;
  const text = process.argv[at + 1] ?? '';
  const value = text === '' ? Number.NaN : Number(text);
  if (value >= least && (whole ? Number.isInteger(value) : Number.isFinite(value))) return value;
  return refuse(`${name} takes a ${whole ? 'whole ' : ''}number from ${least} on`);
}

/** The cases that `--only` names; all without it, which is what `--write` needs. */
export function chosenCases(cases: Readonly<Record<string, unknown>>): readonly string[] {
  const all = Object.keys(cases);
  const at = process.argv.indexOf('--only');
  if (at < 0) return all;
  const names = process.argv.slice(at + 1).filter((argument) => !argument.startsWith('--'));
  const unknown = names.find((name) => !all.includes(name));
  if (names.length === 0 || unknown !== undefined) {
    return refuse(`--only${unknown === undefined ? '' : ` ${unknown}`}: name one or more of ${all.join(', ')}`);
  }
  if (write) return refuse('--write measures everything: leave out --only');
  return names;
}
