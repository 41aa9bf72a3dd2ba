/** How a command ends, as scripts see it. */
export const EXIT = {
  ok: 0,
  /** The service refused, or something failed. */
  failure: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** `diff --exit-code`: the environments differ. */
  differences: 3,
  /** The promotion has open conflicts. */
  conflicts: 4,
  /** Somebody else has to approve or apply. */
  secondPerson: 5,
  /** The service cannot be reached, or says that it is unavailable. */
  unreachable: 6,
};

/** The person at the keyboard has to put something right. */
export class UsageError extends Error {}

/** Something here, not in the service, is not as it must be: a file, a name, a missing difference. */
export class Failure extends Error {}

/** Nobody answers at the URL, or not Keelson. */
export class Unreachable extends Error {}

/** The service has answered with an error code. */
export class Refused extends Error {
  /** @param {{code: string, message: string, data: any}} envelope */
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The envelope, as it came. */
  toJSON() {
    return { code: this.code, message: this.message, data: this.data };
  }
}

const EXIT_OF_CODE = /** @type {Record<string, number>} */ ({
  PROMOTION_CONFLICT: EXIT.conflicts,
  FOUR_EYES_REQUIRED: EXIT.secondPerson,
  SERVICE_UNAVAILABLE: EXIT.unreachable,
});

/** @returns {number} the exit code for whatever a command has thrown */
export function exitCodeOf(/** @type {unknown} */ thrown) {
  if (thrown instanceof UsageError) return EXIT.usage;
  if (thrown instanceof Unreachable) return EXIT.unreachable;
  if (thrown instanceof Refused) return EXIT_OF_CODE[thrown.code] ?? EXIT.failure;
  return EXIT.failure;
}

/** What went wrong, for a person: code, message, the fields, and what else the service says about it. */
export function describe(/** @type {unknown} */ thrown) {
  if (!(thrown instanceof Refused))
    return isExpected(thrown) ? thrown.message : `${/** @type {any} */ (thrown)?.stack}`;
  const { fieldErrors = {}, resources = [], ...rest } = thrown.data ?? {};
  const lines = [`${thrown.code}: ${thrown.message}`];
  for (const [field, problem] of Object.entries(fieldErrors)) lines.push(`  ${field}: ${problem}`);
  for (const { code, resourcePid, message } of resources) lines.push(`  ${code} (${resourcePid}): ${message}`);
  for (const [name, value] of Object.entries(rest)) {
    if (value !== null && typeof value !== 'object') lines.push(`  ${name}: ${value}`);
  }
  return lines.join('\n');
}

/** @returns {thrown is Error} whether its message says all there is to say */
function isExpected(/** @type {unknown} */ thrown) {
  return [UsageError, Failure, Unreachable].some((known) => thrown instanceof known);
}
