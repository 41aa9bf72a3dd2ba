import { createInterface } from 'node:readline/promises';
import type { Invocation } from '../command-line.mjs';
import { EXIT, UsageError } from '../outcome.mjs';
import { splitList } from '../resource-names.mjs';
import { printableLine, tell } from '../terminal.mjs';
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
  const session = await openSession(invocation);
  const prune = Boolean(options.prune);
  const plan = await sendFiles(session, { dryRun: true, prune });
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
  const applied = await sendFiles(session, order);
  if (options.json || applied.status !== 'UNCHANGED') await output.show(applied, () => outcomeLine(applied));
  return applied.status === 'WAITING' ? EXIT.secondPerson : EXIT.ok;
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
