import { parseArgs } from 'node:util';

export const usage = `Usage: npm start

Installs, sets up and runs Keelson with the demo on this machine. Ctrl-C stops it.

Options (after two dashes: npm start -- --help)
  --help    show this help

Settings are environment variables, or lines of the file .env. The most common:
  PORT                  port of the API (6443)
  DATABASE_URL          a Postgres of yours; else one is found or installed
  REDIS_URL             a Redis of yours
  TEMPORAL_ADDRESS      a Temporal of yours
.env.example has all of them. In production: npm run migrate, then npm run start:prod (docs/operations.md).`;

/**
 * Reads the command line of `npm start`.
 * @param {string[]} args
 * @returns {{help: boolean, problem: string | null}} `problem` names what is not an option
 */
export function readStartOptions(args) {
  try {
    const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
    return { help: values.help ?? false, problem: null };
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    return { help: false, problem: `${first.replace(/\.$/, '')}. Settings are environment variables.` };
  }
}
