import { parseArgs } from 'node:util';

export const usage = `Usage: npm start

Installs, sets up and runs Keelson with the demo on this machine. Ctrl-C stops it.

npm run dev does the same, with Node's inspector on, and starts it again whenever its source changes.

Options (after two dashes: npm start -- --app ../my-app)
  --app <directory>  start with this application instead of the demo (KEELSON_APP); "keelson init" makes one
  --no-demo          start with nothing
  --help             show this help

Settings are environment variables, or lines of the file .env. The most common:
  PORT                  port of the API (6443)
  DATABASE_URL          a Postgres of yours; else one is found or installed
  REDIS_URL             a Redis of yours
  TEMPORAL_ADDRESS      a Temporal of yours
.env.example has all of them. In production: npm run migrate, then npm run start:prod (docs/operations.md).`;

/**
 * Reads the command line of `npm start`.
 * @param {string[]} args
 * @returns {{help: boolean, app: string | undefined, isEmpty: boolean, isDev: boolean,
 *   problem: string | null}} `problem` names what is not an option
 */
export function readStartOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', short: 'h' },
        app: { type: 'string' },
        'no-demo': { type: 'boolean' },
        dev: { type: 'boolean' },
      },
    });
    const { help = false, app, 'no-demo': isEmpty = false, dev: isDev = false } = values;
    const problem = isEmpty && app !== undefined ? '--app and --no-demo exclude each other.' : null;
    return { help, app, isEmpty, isDev, problem };
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    return {
      help: false,
      app: undefined,
      isEmpty: false,
      isDev: false,
      problem: `${first.replace(/\.$/, '')}. Settings are environment variables.`,
    };
  }
}
