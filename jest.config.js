/** Four projects: pure rules, parts against real servers, the whole program over HTTP, recorded workflow histories. */
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
  projects: ['unit', 'integration', 'e2e', 'replay'].map(project),
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 30_000,
  // One more than the cores of the smallest machine: tests of outages wait a lot.
  maxWorkers: 3,
};
