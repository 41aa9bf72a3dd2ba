import { promotionPath } from '../api-paths.mjs';
import type { Invocation } from '../command-line.mjs';
import { EXIT, Refused } from '../outcome.mjs';
import { splitList } from '../resource-names.mjs';
import { nextSteps } from '../show-promotion.mjs';
import { isAgreed } from '../standard-input.mjs';
import { asLines, printableLine, tell } from '../terminal.mjs';
import { writeBase } from './base.ts';
import { reconcile, sidesOf } from './reconcile.ts';
import {
  openSession,
  problemsOfConflicts,
  nameOf,
  sendFiles,
  type AppliedFiles,
  type FilesSession,
} from './session.ts';
import { showPlan } from './show-plan.ts';
import { formatProblem } from './source-file.ts';

/** Applies the files to an environment: plans, shows, asks, and applies in one transaction. */
export async function apply(invocation: Invocation): Promise<number> {
  const { output, options } = invocation;
  const prune = Boolean(options.prune);
  const reconciled = await reconciledPlan(invocation, prune);
  if (!reconciled) return EXIT.conflicts;
  const { session, plan } = reconciled;
  if (!options.json) await output.show(plan, () => showPlan(plan, prune));
  const allowDestructive = splitList(options['allow-destructive'] as string[] | undefined);
  const refused = refusal(plan, session, allowDestructive);
  if (refused !== null || options['dry-run']) {
    if (options.json) await output.show(plan, () => '');
    return refused ?? EXIT.ok;
  }
  const question = `Apply ${countOf(plan.changes)} to ${session.environment}?`;
  if (plan.changes.length > 0 && !(await isAgreed(question, options))) return EXIT.failure;
  const { reason } = options as { reason?: string };
  const order = { prune, allowDestructive, planHash: plan.planHash, ...(reason && { reason }) };
  const applied = await sendFiles(session, order).catch((error: unknown) => {
    if (error instanceof Refused && error.code === 'STALE_PLAN')
      tell(`${session.environment} has changed since the plan was made. Next: ${commandFor(session)}\n`);
    throw error;
  });
  if (applied.status !== 'WAITING') await noteBase(session, applied);
  if (options.json || applied.status !== 'UNCHANGED') await output.show(applied, () => outcomeOf(session, applied));
  return applied.status === 'WAITING' ? EXIT.secondPerson : EXIT.ok;
}

/** A plan that undoes nothing of what others have done since; null where a person must choose. */
async function reconciledPlan(
  invocation: Invocation,
  prune: boolean,
): Promise<{ session: FilesSession; plan: AppliedFiles } | null> {
  const { options } = invocation;
  const session = await openSession(invocation);
  const plan = await sendFiles(session, { dryRun: true, prune });
  const { told, isPlanOld, isRefused } = await reconcile(session, plan, {
    sides: sidesOf(options),
    prune,
    isDry: Boolean(options['dry-run']),
  });
  for (const line of told) tell(`${printableLine(line)}\n`);
  if (isRefused) return null;
  return isPlanOld ? reconciledPlan(invocation, prune) : { session, plan };
}

/** From here on the files and the environment have this in common. */
export async function noteBase(session: FilesSession, { unmanaged }: AppliedFiles): Promise<void> {
  await writeBase(session, session.files.resources, unmanaged.map(nameOf)).catch((error: unknown) => {
    // The files are applied: a folder that cannot be written to makes that no failure.
    tell(`What was applied is not noted: ${(error as Error).message}\n`);
  });
}

/** Reports what blocks a plan. @returns the exit code; null if it can be applied */
function refusal({ conflicts }: AppliedFiles, { files }: FilesSession, allowed: readonly string[]): number | null {
  const open = conflicts.filter(({ severity }) => severity === 'blocking');
  const hidden = conflicts.filter((one) => one.severity === 'consent' && !allowed.includes(nameOf(one)));
  const warnings = conflicts.filter(({ severity }) => severity === 'warning');
  for (const problem of problemsOfConflicts([...open, ...hidden, ...warnings], files)) {
    tell(`${formatProblem(problem)}\n`);
  }
  for (const name of new Set(hidden.map(nameOf))) {
    tell(`Data would get out of reach. Consent to it: --allow-destructive ${name}\n`);
  }
  return open.length > 0 ? EXIT.conflicts : hidden.length > 0 ? EXIT.failure : null;
}

/** What came of an apply, with what is left to do where it waits. */
async function outcomeOf({ connection }: FilesSession, applied: AppliedFiles): Promise<string> {
  const { status, promotion } = applied;
  const found =
    status === 'WAITING' && promotion ? await connection.get(promotionPath(promotion.pid)).catch(() => null) : null;
  return asLines([outcomeLine(applied), ...(found ? nextSteps(found.data) : [])]);
}

export function outcomeLine({ environment, status, changes, promotion }: AppliedFiles): string {
  if (status === 'UNCHANGED') return `${environment} is what the files say`;
  if (status === 'APPLIED') return `Applied ${countOf(changes)} to ${environment}, as promotion ${promotion?.pid}`;
  return `${environment} changes only through promotion: ${promotion?.pid} is validated`;
}

/** The apply to type again. */
function commandFor({ environment, files }: FilesSession): string {
  return `keelson apply${environment === files.manifest.environment ? '' : ` --env ${environment}`}`;
}

function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 change' : `${length} changes`;
}
