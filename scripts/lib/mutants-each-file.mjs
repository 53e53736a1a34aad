// Before each file of tests that judges mutants. Stryker takes for granted that each begins with nothing in memory; in a
// thread that is kept (kept-worker.mjs) it is told so.

const stryker = globalThis.__stryker__;
if (stryker !== undefined) {
  // What is loaded from here on is kept for all mutants to come. Its own hook sets the next one before the first test.
  stryker.activeMutant = undefined;
  // It adds up what the files have run.
  if (stryker.mutantCoverage !== undefined) Object.assign(stryker.mutantCoverage, { static: {}, perTest: {} });
}
