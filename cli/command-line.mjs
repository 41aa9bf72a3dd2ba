import { parseArgs } from 'node:util';
import { UnknownWord, UsageError } from './outcome.mjs';

/**
 * @typedef {object} Option
 * @property {'string' | 'boolean'} type
 * @property {string} [short] one letter
 * @property {boolean} [multiple]
 * @property {string} [field] what requests call it, where that is another name
 * @property {number} [upTo] it is a whole number from 1 to this
 * @property {string} about
 */

/**
 * Input of a command.
 * @typedef {object} Invocation
 * @property {import('./connection.mjs').Connection} connection
 * @property {(fallback?: string) => import('./connection.mjs').Connection} connect to `fallback` unless the
 *   person names a service
 * @property {() => string} serviceUrl of `connection`
 * @property {Readonly<Record<string, Command>>} commands all that there are, by name
 * @property {import('./output.mjs').Output} output
 * @property {string[]} args as `arguments` declares them
 * @property {Record<string, any>} options
 */

/**
 * @typedef {object} Command
 * @property {string[]} arguments as shown in the help: `<required>`, `[optional]`, `[any number...]`
 * @property {string} about one line of the help
 * @property {string} example a line that works
 * @property {Readonly<Record<string, Option>>} [options] in addition to the common options
 * @property {string[]} [required] names of required options
 * @property {boolean} [isOffline] it sends nothing, or has its own log-in
 * @property {(invocation: Invocation) => Promise<number>} run returns the exit code
 */

/** @type {Readonly<Record<string, Option>>} */
export const COMMON_OPTIONS = {
  url: { type: 'string', about: 'the service (KEELSON_URL, http://localhost:6443)' },
  token: { type: 'string', about: 'a bearer token (KEELSON_TOKEN)' },
  profile: { type: 'string', about: 'the log-in to use, as keelson login keeps it (KEELSON_PROFILE, default)' },
  json: { type: 'boolean', about: 'print the data of the response as JSON' },
  help: { type: 'boolean', about: 'show this help' },
};

/**
 * @param {Command} command
 * @param {string[]} given arguments after the command's name
 * @returns {{args: string[], options: Record<string, any>}}
 * @throws {UsageError}
 */
export function parseCommandLine({ arguments: expected, options = {}, required = [] }, given) {
  const { values, positionals } = parse(given, { ...COMMON_OPTIONS, ...options });
  if (values.help) return { args: [], options: values };
  const fewest = expected.filter((name) => name.startsWith('<')).length;
  if (positionals.length < fewest) throw new UsageError(`${expected[positionals.length]} is missing`);
  const isOpen = expected.at(-1)?.endsWith('...]');
  if (positionals.length > expected.length && !isOpen)
    throw new UsageError(`Unexpected argument ${positionals[expected.length]}`);
  for (const name of required) {
    if (!values[name]) throw new UsageError(`--${name} is required`);
  }
  for (const [name, { upTo }] of Object.entries(options)) {
    if (upTo === undefined || values[name] === undefined) continue;
    const isInRange = /^\d{1,9}$/.test(values[name]) && values[name] >= 1 && values[name] <= upTo;
    if (!isInRange) throw new UsageError(`--${name} is a whole number from 1 to ${upTo}`);
  }
  return { args: positionals, options: values };
}

/** @returns {{values: Record<string, any>, positionals: string[]}} */
function parse(/** @type {string[]} */ args, /** @type {Record<string, Option>} */ known) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  );
  try {
    return parseArgs({ args: withValues(args, known), options, allowPositionals: true, strict: true });
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const [, option] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
    if (option === undefined) throw new UsageError(message);
    const hint = { word: option, known: Object.keys(known), prefix: '--', otherwise: 'see --help' };
    throw new UnknownWord(`There is no option '--${option}'`, hint);
  }
}

/** A value may begin with `-`, as in `--sort -created_at`: the next option does not look like that. */
function withValues(/** @type {readonly string[]} */ args, /** @type {Record<string, Option>} */ known) {
  const shorts = Object.values(known).flatMap(({ short }) => (short === undefined ? [] : [`-${short}`]));
  const joined = /** @type {string[]} */ ([]);
  for (let at = 0; at < args.length; at += 1) {
    const [arg = '', next = ''] = args.slice(at, at + 2);
    const isValue = known[arg.slice(2)]?.type === 'string' && arg.startsWith('--') && /^-[^-]/.test(next);
    joined.push(isValue && !shorts.includes(next) ? `${arg}=${next}` : arg);
    if (isValue && !shorts.includes(next)) at += 1;
  }
  return joined;
}
