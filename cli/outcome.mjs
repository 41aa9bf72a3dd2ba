import { asLines } from './terminal.mjs';

/** Exit codes. */
export const EXIT = {
  ok: 0,
  /** The service refused, or the command failed. */
  failure: 1,
  /** Invalid arguments. */
  usage: 2,
  /** `diff`, `drift`: there are differences. */
  differences: 3,
  /** The promotion has open conflicts. */
  conflicts: 4,
  /** The promotion waits for an approval, or for its apply. */
  secondPerson: 5,
  /** The service is unreachable or unavailable. */
  unreachable: 6,
};

/** Invalid arguments. */
export class UsageError extends Error {}

/** A command or an option that there is not. */
export class UnknownWord extends UsageError {
  /**
   * @param {string} message
   * @param {{word: string, known: readonly string[], prefix: string, otherwise: string}} hint the words that
   *   there are, what stands before them, and where else to look
   */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/** Local problem: an unreadable file, an unknown name, a missing difference. */
export class Failure extends Error {}

/** No response, or not from Keelson. */
export class Unreachable extends Error {}

/** Error code from the service. */
export class Refused extends Error {
  /** @param {{code: string, message: string, data: any}} envelope */
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
    /** Names of requests -> the options that give them. @type {ReadonlyMap<string, string>} */
    this.options = new Map();
  }

  /** The envelope. */
  toJSON() {
    return { code: this.code, message: this.message, data: this.data };
  }
}

const EXIT_OF_CODE = /** @type {Record<string, number>} */ ({
  PROMOTION_CONFLICT: EXIT.conflicts,
  FOUR_EYES_REQUIRED: EXIT.secondPerson,
  SERVICE_UNAVAILABLE: EXIT.unreachable,
});

/** @returns {number} the exit code for an error of a command */
export function exitCodeOf(/** @type {unknown} */ thrown) {
  if (thrown instanceof UsageError) return EXIT.usage;
  if (thrown instanceof Unreachable) return EXIT.unreachable;
  if (thrown instanceof Refused) return EXIT_OF_CODE[thrown.code] ?? EXIT.failure;
  return EXIT.failure;
}

/**
 * An error as `--json` shows it: the envelope of the service, or one in its form.
 * @returns {object | null} null for a fault of the program itself
 */
export function envelopeOf(/** @type {unknown} */ thrown) {
  if (thrown instanceof Refused) return thrown.toJSON();
  if (!isExpected(thrown)) return null;
  const code = { [EXIT.usage]: 'INVALID_ARGUMENTS', [EXIT.unreachable]: 'UNREACHABLE' }[exitCodeOf(thrown)] ?? 'FAILED';
  return { code, message: thrown.message, data: null };
}

/** Describes an error for a person: code, message, fields, and the other data of the service. */
export function describe(/** @type {unknown} */ thrown) {
  if (!(thrown instanceof Refused))
    return isExpected(thrown) ? thrown.message : `${/** @type {any} */ (thrown)?.stack}`;
  const { fieldErrors = {}, resources = [], ...rest } = thrown.data ?? {};
  const lines = [`${thrown.code}: ${thrown.message}`];
  for (const [field, problem] of Object.entries(fieldErrors))
    lines.push(`  ${asGiven(field, thrown.options)}: ${problem}`);
  for (const { code, resourcePid, message } of resources) lines.push(`  ${code} (${resourcePid}): ${message}`);
  for (const [name, value] of Object.entries(rest)) {
    if (value !== null && typeof value !== 'object') lines.push(`  ${name}: ${value}`);
  }
  return asLines(lines);
}

/** `filters.1.value` of a request, as the person has given it: `--where 2 value`. */
function asGiven(/** @type {string} */ field, /** @type {ReadonlyMap<string, string>} */ options) {
  const [first = '', ...rest] = field.split('.');
  const option = options.get(first);
  if (option === undefined) return field;
  return [`--${option}`, ...rest.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part))].join(' ');
}

/** @returns {thrown is Error} whether its message is enough, without a stack trace */
function isExpected(/** @type {unknown} */ thrown) {
  return [UsageError, Failure, Unreachable].some((known) => thrown instanceof known);
}
