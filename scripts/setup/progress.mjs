const quietForMs = 2_000;
const linePeriodMs = 10_000;

/**
 * Runs a step and, after two seconds, shows the time elapsed: in one rewritten line on a terminal, in a line
 * every ten seconds elsewhere (a CI log).
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withProgress(label, action) {
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  let shown = false;
  const show = () => {
    shown = true;
    process.stdout.write(
      process.stdout.isTTY ? `\r\x1b[K  ${label} ... ${elapsed()}` : `  ${label} ... ${elapsed()}\n`,
    );
  };
  /** @type {NodeJS.Timeout | undefined} */
  let ticker;
  const starter = setTimeout(() => {
    show();
    ticker = setInterval(show, process.stdout.isTTY ? 1_000 : linePeriodMs);
  }, quietForMs);
  const finish = (/** @type {string} */ word) => {
    clearTimeout(starter);
    clearInterval(ticker);
    if (shown) process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}  ${label}: ${word}, ${elapsed()}\n`);
  };
  try {
    const result = await action();
    finish('done');
    return result;
  } catch (error) {
    finish('failed');
    throw error;
  }
}
