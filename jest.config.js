/**
 * The projects, by what they need: nothing, real servers, the whole program, the console in a browser,
 * workflows with stub activities, recorded histories.
 */
const project = (name) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  // Jest looks at every file below, once for each project.
  roots: [`<rootDir>/test/${name}`],
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  // Node loads the tests and what they test, as it loads the program.
  testEnvironment: '<rootDir>/scripts/testing/jest/native-environment.cjs',
  runtime: '<rootDir>/scripts/testing/jest/native-runtime.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
});

export default {
  projects: ['unit', 'integration', 'e2e', 'console', 'workflows', 'replay'].map(project),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  testSequencer: '<rootDir>/scripts/testing/longest-first.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Programs take their time to start on a slow machine.
  testTimeout: 300_000,
  // Twice the cores of the smallest machine: tests of outages wait a lot.
  maxWorkers: 4,
  // Jest keeps what test files have loaded: beyond this, collecting garbage takes longer than a new worker.
  workerIdleMemoryLimit: '500MB',
};
