/**
 * Something the user has to put right (a taken port, a missing tool, an unreachable URL). Its message is all they get to
 * see: it says what is wrong and what to do. Any other error is a defect of ours and keeps its stack trace.
 */
export class SetupProblem extends Error {
  /** @override */
  name = 'SetupProblem';
}

/** The system's own refusals, which say all there is to say: no permission, read-only, disk full. */
const plainCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC'];

/** An error as the user should see it. */
export function explain(/** @type {unknown} */ error) {
  if (!(error instanceof Error)) return String(error);
  const isPlain = error instanceof SetupProblem || ('code' in error && plainCodes.includes(String(error.code)));
  return isPlain ? error.message : (error.stack ?? error.message);
}
