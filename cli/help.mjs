import { COMMON_OPTIONS } from './command-line.mjs';
import { EXIT } from './outcome.mjs';

/** @typedef {import('./command-line.mjs').Command} Command */

/** Help of the program. */
export function generalHelp(/** @type {Readonly<Record<string, Command>>} */ commands) {
  return `keelson keeps the configuration of a Keelson service in files and moves it between environments.

Usage: keelson <command> [arguments] [options]
       keelson --version

Commands ("keelson <command> --help" has the options):
${usages(commands)}

Options of every command:
${optionLines(COMMON_OPTIONS)}

Credentials: keelson login, or KEELSON_TOKEN, or KEELSON_EMAIL and KEELSON_PASSWORD. Resources are written TYPE/code, such as PAGE_SCHEMA/leads.

Exit codes:
${exitCodes()}
`;
}

/** Help of commands that share a first word. */
export function groupHelp(/** @type {string} */ group, /** @type {Readonly<Record<string, Command>>} */ commands) {
  const own = Object.entries(commands).filter(([name]) => name.startsWith(`${group} `));
  return `Usage: keelson ${group} <command> [arguments] [options]

Commands ("keelson ${group} <command> --help" has the options):
${usages(Object.fromEntries(own))}
`;
}

/** Help of one command. */
export function commandHelp(/** @type {string} */ name, /** @type {Command} */ command) {
  const { about, example, options = {}, required = [] } = command;
  const own = Object.keys(options).length > 0 ? `Options:\n${optionLines(options, required)}\n\n` : '';
  return `Usage: keelson ${usage(name, command)} [options]

${about[0]?.toUpperCase()}${about.slice(1)}.

Example: ${example}

${own}Options of every command:
${optionLines(COMMON_OPTIONS)}

Exit codes:
${exitCodes()}
`;
}

function usages(/** @type {Readonly<Record<string, Command>>} */ commands) {
  return columns(Object.entries(commands).map(([name, command]) => [usage(name, command), command.about]));
}

function usage(/** @type {string} */ name, /** @type {Command} */ { arguments: expected }) {
  return [name, ...expected].join(' ');
}

/** @param {Readonly<Record<string, import('./command-line.mjs').Option>>} options */
function optionLines(options, /** @type {string[]} */ required = []) {
  return columns(
    Object.entries(options).map(([name, { type, short, about }]) => [
      `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ' <text>' : ''}`,
      required.includes(name) ? `${about} (required)` : about,
    ]),
  );
}

function exitCodes() {
  return columns([
    [String(EXIT.ok), 'done'],
    [String(EXIT.failure), 'refused, or failed'],
    [String(EXIT.usage), 'invalid arguments'],
    [String(EXIT.differences), 'there are differences (diff, drift)'],
    [String(EXIT.conflicts), 'the promotion has open conflicts'],
    [String(EXIT.secondPerson), 'a promotion waits for its approval or its apply'],
    [String(EXIT.unreachable), 'the service is unreachable or unavailable: try again later'],
  ]);
}

function columns(/** @type {string[][]} */ rows) {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
