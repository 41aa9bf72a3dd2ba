// A worker of jest loads the modules of `test/support` once and runs many files with them. What they open is
// closed when a file is over: after its own `afterAll`, which may still use it.

/** @type {(() => unknown)[]} */
const closers = [];

/**
 * Runs this after each file, whether or not the file has used what it closes.
 * @param {() => unknown} close
 */
exports.afterEachFile = (close) => void closers.push(close);

exports.closeAll = async () => {
  for (const close of closers) await close();
};
