/** The projects, by what they need: nothing, real servers, the whole program, workflows with stub activities, recorded histories. */
const project = (name) => ({
  displayName: name,
  rootDir: import.meta.dirname,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
});

export default {
  projects: ['unit', 'integration', 'e2e', 'workflows', 'replay'].map(project),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  testSequencer: '<rootDir>/scripts/testing/longest-first.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Programs take their time to start on a busy machine.
  testTimeout: 120_000,
  // One more than the cores of the smallest machine: tests of outages wait a lot.
  maxWorkers: 3,
};
