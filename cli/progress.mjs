import { printableLine } from './terminal.mjs';

const QUIET_MS = 2_000;
const EVERY_MS = 1_000;
const CLEAR = '\r\x1b[K';

/**
 * Shows at a terminal, on standard error, what a request waits for once it takes over two seconds.
 * @template {object} T
 * @param {T} connection
 * @returns {T} the same, with progress
 */
export function withProgress(connection) {
  if (!process.stderr.isTTY) return connection;
  return new Proxy(connection, {
    get(target, key) {
      const member = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (/** @type {unknown[]} */ ...args) => {
        const result = member.apply(target, args);
        return result instanceof Promise ? during(result, `${String(key)} ${args[0] ?? ''}`.trim()) : result;
      };
    },
  });
}

/**
 * A line of standard error that each call replaces; where no terminal shows it, nothing.
 * @returns {(text: string | null) => void} null takes it away
 */
export function statusLine() {
  return (text) => {
    if (process.stderr.isTTY) process.stderr.write(`${CLEAR}${printableLine(text ?? '')}`);
  };
}

/** @template T @param {Promise<T>} work @param {string} what @returns {Promise<T>} */
async function during(work, what) {
  const startedAt = Date.now();
  const show = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    if (seconds * 1_000 >= QUIET_MS) process.stderr.write(`${CLEAR}${printableLine(what)} (${seconds} s)`);
  };
  const timer = setInterval(show, EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (Date.now() - startedAt >= QUIET_MS) process.stderr.write(CLEAR);
  }
}
