import { defineConfig } from 'vitest/config';
import { TESTS } from './mutants.config.mjs';

export default defineConfig({
  test: { root: process.cwd(), include: TESTS, exclude: ['**/*.{edge,ros,real}.test.ts'], testTimeout: 20_000 },
});
