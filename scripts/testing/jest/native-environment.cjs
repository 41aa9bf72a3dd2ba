// The globals of Node itself, where jest makes a copy for each test file.
const { flushCompileCache } = require('node:module');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { addWhatWasSeen } = require('./when-a-test-fails.cjs');

/** The message by which jest ends a worker. */
const END_OF_WORKER = 2;

// Jest gives a worker half a second for its end. To free what it has loaded can take longer, and is in vain.
// While tests run, jest has an exit of its own.
const exit = process.exit.bind(process);
process.once('beforeExit', () => exit());
// What test files share stays open until then.
process.on('message', ([type]) => {
  if (type === END_OF_WORKER) exit();
});

/** A jest environment whose `global` is the worker's own. */
module.exports = class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async handleTestEvent({ name, error }) {
    if (name === 'test_fn_failure') await addWhatWasSeen(error);
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    // That exit does not write it.
    flushCompileCache();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
};
