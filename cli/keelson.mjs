#!/usr/bin/env node
// Command line of Keelson: a client of its REST API. Plain JavaScript for Node 20 without packages, so that a
// pipeline can run it from a bare checkout.
import { parseCommandLine } from './command-line.mjs';
import { COMMANDS } from './commands.mjs';
import { Connection } from './connection.mjs';
import { commandHelp, generalHelp, groupHelp } from './help.mjs';
import { describe, EXIT, exitCodeOf, Refused, UsageError } from './outcome.mjs';
import { Output } from './output.mjs';

/** @returns {Promise<number>} the exit code */
async function main(/** @type {string[]} */ given) {
  const [first = ''] = given;
  if (['', 'help', '--help', '-h'].includes(first)) {
    process.stdout.write(generalHelp(COMMANDS));
    return first === '' ? EXIT.usage : EXIT.ok;
  }
  // The name of a command has one word, or two.
  const name = given.slice(0, Object.keys(COMMANDS).some((one) => one.startsWith(`${first} `)) ? 2 : 1).join(' ');
  const rest = given.slice(name.split(' ').length);
  if (name === `${first} --help`) {
    process.stdout.write(groupHelp(first, COMMANDS));
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`There is no command ${name}; see keelson --help`);
  const { args, options } = parseCommandLine(command, rest);
  if (options.help) {
    process.stdout.write(commandHelp(name, command));
    return EXIT.ok;
  }
  const { KEELSON_URL, KEELSON_TOKEN, KEELSON_EMAIL, KEELSON_PASSWORD } = process.env;
  const connect = (fallback = 'http://localhost:6443') =>
    new Connection({
      url: options.url ?? (KEELSON_URL || fallback),
      token: options.token ?? (KEELSON_TOKEN || undefined),
      email: KEELSON_EMAIL,
      password: KEELSON_PASSWORD,
    });
  const output = new Output({ json: Boolean(options.json) });
  return command.run({ connection: connect(), connect, output, args, options });
}

// The reader may close the pipe early (`keelson audit | head`).
process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  process.exit();
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isJson = process.argv.includes('--json') && error instanceof Refused;
  process.stderr.write(`${isJson ? JSON.stringify(error) : describe(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
