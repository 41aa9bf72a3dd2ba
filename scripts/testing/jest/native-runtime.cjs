// Loads test files by Node itself instead of jest's module system, so that a worker loads what they share
// once. Tests of one worker therefore share modules: what they open is closed after each file
// (`afterEachFile`).
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const { closeAll } = require('./after-each-file.cjs');

const requireNative = createRequire(__filename);

/** Jest's framework keeps what it knows of a file under these. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const FRAMEWORK = /[\\/]jest-circus[\\/]/;

let imports = 0;

/** The part of jest's runtime that its test framework calls. */
module.exports = class NativeRuntime {
  #environment;
  #env = { ...process.env };

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** The framework, afresh for each file: it holds the tests of one. */
  requireInternalModule(path) {
    delete globalThis[HANDLERS];
    for (const loaded of Object.keys(requireNative.cache)) {
      if (FRAMEWORK.test(loaded)) delete requireNative.cache[loaded];
    }
    return requireNative(path);
  }

  requireModule(path) {
    return requireNative(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A file of tests registers its tests each time that it is run. */
  async unstable_importModule(path) {
    imports += 1;
    await import(`${pathToFileURL(path)}?run=${imports}`);
    // The last of its hooks: its own may still use what this closes.
    globalThis.afterAll(closeAll);
  }

  setGlobalsForRuntime() {
    this.#environment.global.jest = this.#environment.fakeTimersModern;
  }

  /** There are none: removing types moves nothing. */
  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  /** A file may set variables for itself. */
  teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
  }
};
