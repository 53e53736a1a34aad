import { TestRunner } from 'vitest';

/** One failure is enough: files of tests that come after it are not even loaded. */
export default class MutantsRunner extends TestRunner {
  importFile(filepath, source) {
    return this.cancelRun ? undefined : super.importFile(filepath, source);
  }
}
