import { parseArgs } from 'node:util';
import { UsageError } from './outcome.mjs';

/**
 * @typedef {object} Option
 * @property {'string' | 'boolean'} type
 * @property {boolean} [multiple]
 * @property {string} about
 */

/**
 * What a command is given to work with.
 * @typedef {object} Invocation
 * @property {import('./connection.mjs').Connection} connection
 * @property {import('./output.mjs').Output} output
 * @property {string[]} args as many as `arguments` asks for
 * @property {Record<string, any>} options
 */

/**
 * @typedef {object} Command
 * @property {string[]} arguments how the help names them: `<required>`, `[optional]`
 * @property {string} about one line of the help
 * @property {Readonly<Record<string, Option>>} [options] its own, beside those of every command
 * @property {string[]} [required] options it cannot do without
 * @property {(invocation: Invocation) => Promise<number>} run gives the exit code
 */

/** @type {Readonly<Record<string, Option>>} */
export const COMMON_OPTIONS = {
  url: { type: 'string', about: 'the service (KEELSON_URL, http://localhost:6443)' },
  token: { type: 'string', about: 'a bearer token (KEELSON_TOKEN)' },
  json: { type: 'boolean', about: "print the data of the service's answer as JSON" },
  help: { type: 'boolean', about: 'explain' },
};

/**
 * @param {Command} command
 * @param {string[]} given what follows the command's name
 * @returns {{args: string[], options: Record<string, any>}}
 * @throws {UsageError}
 */
export function parseCommandLine({ arguments: expected, options = {}, required = [] }, given) {
  const { values, positionals } = parse(given, { ...COMMON_OPTIONS, ...options });
  if (values.help) return { args: [], options: values };
  const fewest = expected.filter((name) => name.startsWith('<')).length;
  if (positionals.length < fewest) throw new UsageError(`${expected[positionals.length]} is missing`);
  if (positionals.length > expected.length) throw new UsageError(`${positionals[expected.length]} is too much`);
  for (const name of required) {
    if (!values[name]) throw new UsageError(`--${name} is required`);
  }
  return { args: positionals, options: values };
}

/** @returns {{values: Record<string, any>, positionals: string[]}} */
function parse(/** @type {string[]} */ args, /** @type {Record<string, Option>} */ known) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}
