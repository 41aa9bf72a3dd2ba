#!/usr/bin/env node
// Command line of Keelson: a client of its REST API. This file runs with any Node from 20 on; the commands
// are TypeScript, too, for which the project's own Node stands in.
import module from 'node:module';
import { parseCommandLine } from './command-line.mjs';
import { COMMANDS } from './commands.mjs';
import { connector } from './connect.mjs';
import { commandHelp, generalHelp, groupHelp } from './help.mjs';
import { describe, envelopeOf, EXIT, exitCodeOf, Refused, UnknownWord, UsageError } from './outcome.mjs';
import { Output } from './output.mjs';
import { withProgress } from './progress.mjs';
import { print, tell } from './terminal.mjs';
import { rerunWithProjectNode, RUNS_TYPESCRIPT } from './typescript.mjs';
import { VERSION } from './version.mjs';

/** @returns {Promise<number>} the exit code */
async function main(/** @type {string[]} */ given) {
  const [first = ''] = given;
  if (first === 'help' && given.length > 1) return main([...given.slice(1), '--help']);
  if (['', 'help', '--help', '-h'].includes(first)) {
    print(generalHelp(COMMANDS));
    return first === '' ? EXIT.usage : EXIT.ok;
  }
  if (first === '--version') {
    print(`${VERSION}\n`);
    return EXIT.ok;
  }
  // The name of a command has one word, or two.
  const name = given.slice(0, Object.keys(COMMANDS).some((one) => one.startsWith(`${first} `)) ? 2 : 1).join(' ');
  const rest = given.slice(name.split(' ').length);
  if (name === `${first} --help`) {
    print(groupHelp(first, COMMANDS));
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command)
    throw new UnknownWord(`There is no command ${name}`, { word: name, prefix: 'keelson ', ...known(first) });
  const { args, options } = parseCommandLine(command, rest);
  if (options.help) {
    print(commandHelp(name, command));
    return EXIT.ok;
  }
  if (!RUNS_TYPESCRIPT) return rerunWithProjectNode();
  const { nearestManifest } = await import('./app/application-files.ts');
  const ofApplication = async () => (await nearestManifest())?.url;
  const { connect, urlOf } = await connector(options, command.isOffline ? null : ofApplication);
  const output = new Output({ json: Boolean(options.json) });
  const connected = (/** @type {string | undefined} */ fallback) => withProgress(connect(fallback));
  /** @type {ReturnType<typeof connected> | undefined} */
  let own;
  const invocation = {
    get connection() {
      return (own ??= connected());
    },
    connect: connected,
    serviceUrl: urlOf,
    commands: COMMANDS,
    output,
    args,
    options,
  };
  return command.run(invocation).catch((error) => {
    if (error instanceof Refused) error.options = optionsByField(command);
    throw error;
  });
}

/** What may be meant by a command that there is not. */
function known(/** @type {string} */ first) {
  const names = Object.keys(COMMANDS);
  const groups = new Set(names.flatMap((name) => (name.includes(' ') ? [name.replace(/ .*/, '')] : [])));
  const otherwise = groups.has(first) ? `see keelson ${first} --help` : 'see keelson --help';
  return { known: [...names, ...groups], otherwise };
}

/** The same error, with what may have been meant. @param {UnknownWord} error */
async function withSuggestion({ message, hint: { word, known: words, prefix, otherwise } }) {
  if (!RUNS_TYPESCRIPT) return new UsageError(`${message}; ${otherwise}`);
  const { closestOf } = await import('../src/foundation/validation/similar.ts');
  const meant = closestOf(word, words);
  return new UsageError(`${message}; ${meant === null ? otherwise : `did you mean ${prefix}${meant}?`}`);
}

/** @returns {ReadonlyMap<string, string>} names of requests -> options */
function optionsByField(/** @type {import('./command-line.mjs').Command} */ { options = {} }) {
  return new Map(Object.entries(options).flatMap(([name, { field }]) => (field === undefined ? [] : [[field, name]])));
}

// Later starts take half the time.
module.enableCompileCache?.();

// The reader may close the pipe early (`keelson audit | head`).
process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  process.exit();
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  const error = thrown instanceof UnknownWord ? await withSuggestion(thrown) : thrown;
  const envelope = process.argv.includes('--json') && envelopeOf(error);
  tell(`${envelope ? JSON.stringify(envelope) : describe(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
