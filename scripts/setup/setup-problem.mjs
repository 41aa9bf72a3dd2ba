/**
 * Problem that the user has to solve (a taken port, a missing tool, an unreachable URL). Its message says
 * what is wrong and what to do. Any other error is shown with its stack trace.
 */
export class SetupProblem extends Error {
  /** @override */
  name = 'SetupProblem';
}

/** System errors whose message is enough: no permission, read-only, disk full. */
const plainCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC'];

/** Formats an error for the user. */
export function explain(/** @type {unknown} */ error) {
  if (!(error instanceof Error)) return String(error);
  const isPlain = error instanceof SetupProblem || ('code' in error && plainCodes.includes(String(error.code)));
  return isPlain ? error.message : (error.stack ?? error.message);
}
