import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const keptLines = 40;

/** Fields that the readable form shows elsewhere or omits. */
const omittedFields = ['level', 'time', 'pid', 'hostname', 'msg', 'err'];

/**
 * Writes the program's output to a file and, after `show`, its warnings and errors to the terminal in
 * readable form.
 * @param {import('../setup/guarded-process.mjs').GuardedProcess} program
 * @param {string} file
 */
export function followLogs(program, file) {
  const log = createWriteStream(file);
  /** @type {string[]} */
  const recent = [];
  let showing = false;
  for (const stream of [program.stdout, program.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      recent.push(line);
      if (recent.length > keptLines) recent.shift();
      const text = showing && readable(line);
      if (text) console.log(text);
    });
  }
  return {
    show: () => void (showing = true),
    /** The last lines of any level in readable form, for a program that did not start. */
    recent: () => recent.map((line) => readable(line, 'trace')).join('\n'),
  };
}

/** @returns {string | undefined} undefined if the line is below the level */
function readable(/** @type {string} */ line, minimumLevel = 'warn') {
  const entry = parse(line);
  if (!entry) return line; // not from the logger: a crash, or Node's own warning
  if (levels.indexOf(entry.level) < levels.indexOf(minimumLevel)) return undefined;
  const time = new Date(entry.time ?? Date.now()).toTimeString().slice(0, 8);
  const word = entry.level.toUpperCase().padEnd(5);
  const fields = Object.entries(entry)
    .filter(([name, value]) => !omittedFields.includes(name) && typeof value !== 'object')
    .map(([name, value]) => ` ${name}=${value}`);
  const cause = entry.err?.message && entry.err.message !== entry.msg ? `: ${entry.err.message}` : '';
  return `${time} ${word} ${entry.msg ?? ''}${cause}${fields.join('')}`;
}

/** @returns {{level: string, time?: number | string, msg?: string, err?: {message?: string}} | undefined} */
function parse(/** @type {string} */ line) {
  try {
    const entry = JSON.parse(line);
    return levels.includes(entry?.level) ? entry : undefined;
  } catch {
    return undefined;
  }
}
