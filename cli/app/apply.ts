import { createInterface } from 'node:readline/promises';
import type { Invocation } from '../command-line.mjs';
import { EXIT, Refused, UsageError } from '../outcome.mjs';
import { splitList } from '../resource-names.mjs';
import { printableLine, tell } from '../terminal.mjs';
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
  if (plan.changes.length > 0 && !options.yes && !(await isAgreed(plan))) return EXIT.failure;
  const { reason } = options as { reason?: string };
  const order = { prune, allowDestructive, planHash: plan.planHash, ...(reason && { reason }) };
  const applied = await sendFiles(session, order).catch((error: unknown) => {
    if (error instanceof Refused && error.code === 'STALE_PLAN')
      tell(`${session.environment} has changed since the plan was made. Next: keelson apply\n`);
    throw error;
  });
  if (applied.status !== 'WAITING') await noteBase(session, applied);
  if (options.json || applied.status !== 'UNCHANGED') await output.show(applied, () => outcomeLine(applied));
  return applied.status === 'WAITING' ? EXIT.secondPerson : EXIT.ok;
}

/** A plan that undoes nothing of what others have done since; null where a person must choose. */
async function reconciledPlan(invocation: Invocation, prune: boolean) {
  const { options } = invocation;
  const session = await openSession(invocation);
  const plan = await sendFiles(session, { dryRun: true, prune });
  const { told, hasWritten, isRefused } = await reconcile(session, plan, {
    sides: sidesOf(options),
    prune,
    isDry: Boolean(options['dry-run']),
  });
  for (const line of told) tell(`${printableLine(line)}\n`);
  if (isRefused) return null;
  if (!hasWritten) return { session, plan };
  const merged = await openSession(invocation);
  return { session: merged, plan: await sendFiles(merged, { dryRun: true, prune }) };
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

/** @throws UsageError where no person can be asked */
async function isAgreed({ environment, changes }: AppliedFiles): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask at: add --yes to apply the plan');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Apply ${countOf(changes)} to ${printableLine(environment)}? [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

export function outcomeLine({ environment, status, changes, promotion }: AppliedFiles): string {
  if (status === 'UNCHANGED') return `${environment} is what the files say`;
  if (status === 'APPLIED') return `Applied ${countOf(changes)} to ${environment}, as promotion ${promotion?.pid}`;
  const next = `keelson promotion approve ${promotion?.pid}, then keelson promotion apply ${promotion?.pid} --reason ...`;
  return `${environment} changes only through promotion: ${promotion?.pid} is validated\nNext: ${next}`;
}

function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 change' : `${length} changes`;
}
