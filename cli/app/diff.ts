import type { Invocation } from '../command-line.mjs';
import { EXIT } from '../outcome.mjs';
import { openSession, sendFiles } from './session.ts';
import { showPlan } from './show-plan.ts';

/** Compares the files with an environment. */
export async function diff(invocation: Invocation): Promise<number> {
  const plan = await sendFiles(await openSession(invocation), { dryRun: true });
  await invocation.output.show(plan, () => showPlan(plan, false));
  return plan.changes.length + plan.unmanaged.length === 0 ? EXIT.ok : EXIT.differences;
}
