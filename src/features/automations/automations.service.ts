import { isApproverOf, waitingApprovalsOf } from './runs/approvals/waiting-approvals.ts';
import { text } from '../../foundation/i18n/text.ts';
import { authorize, type Actor } from '../../platform/auth/requests/actor.ts';
import type { Database, Transaction } from '../../foundation/database/pool.ts';
import {
  ApplicationError,
  conflict,
  forbidden,
  notFound,
  type FieldErrors,
} from '../../foundation/errors/application-error.ts';
import { toStoredError } from '../../foundation/errors/failure.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { AUTOMATION, type Automation } from './definition/automation-type.ts';
import { checkFourEyes, stepToDecide } from './runs/approvals/approvals.ts';
import type { RunStatus, StepStatus } from './runs/rows/automation-run.entity.ts';
import type { Definitions } from './runs/values/definitions.ts';
import { checkInput, newRun } from './runs/new-run.ts';
import { approvalStep } from './steps/approval.step.ts';
import { isStepOf } from './steps/step-kinds.ts';
import { restartSteps } from './runs/restart-steps.ts';
import {
  codesWithRuns,
  findByIdempotencyKey,
  findRun,
  hasRunEnded,
  insertRuns,
  listRuns,
  lockRun,
  markForSignal,
  saveRun,
  type LockedRun,
  type RunRow,
  type SignalTarget,
} from './runs/rows/run-store.ts';
import type { RunSignaller } from './runs/run-signaller.ts';
import type { RunVisibility, RunWithSteps, VisibleRun } from './runs/show/run-visibility.ts';
import { pageOfSteps, shownOutputs } from './runs/show/shown-steps.ts';
import { outputsOf, saveSteps } from './runs/rows/step-store.ts';
import { MAX_SHOWN_STEPS } from './automations.limits.ts';

/** A person's decision about a step that waits for an approval. */
export interface Decision {
  readonly approved: boolean;
  readonly comment: string | null;
  readonly step: string | null;
}

/** Starts, shows, approves, cancels and retries runs. */
export class AutomationsService {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #signaller: RunSignaller;
  readonly #visibility: RunVisibility;

  constructor(database: Database, definitions: Definitions, signaller: RunSignaller, visibility: RunVisibility) {
    this.#database = database;
    this.#definitions = definitions;
    this.#signaller = signaller;
    this.#visibility = visibility;
  }

  /** The automations that the actor may run. */
  runnable({ metadata, permissions }: Actor): Automation[] {
    const all = [...metadata.all(AUTOMATION).values()].sort((a, b) => a.code.localeCompare(b.code));
    return all.filter(({ code }) => permissions.has(permissionCode.automationRun(code)));
  }

  /** The input of a run, with defaults. @throws NOT_FOUND */
  check({ metadata }: Actor, code: string, given: Readonly<Record<string, unknown>>, errors: FieldErrors) {
    return checkInput(metadata.get(AUTOMATION, code).content, given, errors);
  }

  /**
   * Starts a run as the actor. An idempotency key starts one run.
   * @param input as `check` gives it
   * @returns the run; `replay` where it was started before, perhaps with another input (`mismatch`)
   * @throws NOT_FOUND
   */
  async start(
    actor: Actor,
    code: string,
    input: Record<string, unknown>,
    idempotencyKey: string | null,
    traceId: string,
  ): Promise<{ run: RunRow; replay: { mismatch: boolean } | null }> {
    const automation = actor.metadata.get(AUTOMATION, code);
    const { userId, userPid, username, keyMadeBy, tenantId, roles } = actor;
    const { environment } = actor.metadata;
    const user = { userId, userPid, username, keyMadeBy, tenantId, roles };
    const cause = { ...user, environment, traceId, idempotencyKey };
    const wanted = newRun(automation, { ...cause, trigger: 'manual', triggerKey: null }, input);
    const [inserted] = await insertRuns(this.#database, [wanted]);
    if (inserted) {
      await this.#signaller.signal([inserted]);
      return { run: await this.#known(inserted.pid), replay: null };
    }
    const earlier = await findByIdempotencyKey(this.#database, wanted);
    if (!earlier) throw conflict('IN_PROGRESS', 'The first request with this key is still running');
    return { run: earlier, replay: { mismatch: earlier.requestHash !== wanted.requestHash } };
  }

  /**
   * Runs of the automations that the actor may run, the newest first.
   * @throws FORBIDDEN for another automation
   */
  async list(
    actor: Actor,
    filter: { code: string | null; status: RunStatus | null; startedBy: string | null },
    limit: number,
    offset: number,
  ): Promise<{ runs: VisibleRun[]; total: number }> {
    const { tenantId, permissions, metadata } = actor;
    const { environment } = metadata;
    if (filter.code !== null) authorize(actor, permissionCode.automationRun(filter.code));
    const known = filter.code === null ? await codesWithRuns(this.#database, environment, tenantId) : [filter.code];
    const codes = known.filter((code) => permissions.has(permissionCode.automationRun(code)));
    const page = { environment, tenantId, codes, status: filter.status, startedBy: filter.startedBy };
    const { runs, total } = await listRuns(this.#database, page, limit, offset);
    return { runs: await this.#visibility.of(actor, runs), total };
  }

  /**
   * @throws NOT_FOUND for a run of another tenant or environment; FORBIDDEN without its permission and
   * approvals
   */
  async get(actor: Actor, runPid: string): Promise<RunWithSteps> {
    return this.#shown(actor, await this.readable(actor, runPid));
  }

  /** A page of the run's steps, in the order in which they began. @throws NOT_FOUND, FORBIDDEN, as `get` */
  async steps(
    actor: Actor,
    runPid: string,
    status: StepStatus | null,
    limit: number,
    offset: number,
  ): Promise<RunWithSteps> {
    return this.#shown(actor, await this.readable(actor, runPid), status, limit, offset);
  }

  /** The run alone. @throws NOT_FOUND, FORBIDDEN, as `get` */
  async readable(actor: Actor, runPid: string): Promise<RunRow> {
    const run = await this.#visible(actor, runPid);
    if (!isRunnable(actor, run) && !(await isApproverOf(this.#database, runPid, actor))) throw notRunnable(run);
    return run;
  }

  /** @throws NOT_FOUND, FORBIDDEN, CONFLICT (STATE, AMBIGUOUS), FOUR_EYES_REQUIRED */
  async decide(actor: Actor, runPid: string, { approved, comment, step: named }: Decision): Promise<RunWithSteps> {
    const known = await this.readable(actor, runPid);
    return this.#change(actor, known, async (transaction, run) => {
      const row = stepToDecide(await waitingApprovalsOf(transaction, runPid), named, actor);
      const { step } = (await this.#definitions.of(run)).step(row.stepId);
      if (!isStepOf(approvalStep, step)) throw conflict('STATE');
      checkFourEyes(step, run, actor);
      const [before] = await outputsOf(transaction, run.pid, [row.key]);
      const by = { pid: actor.userPid, username: actor.username };
      const output = { ...(before?.output as object), approved, comment, by };
      const isRejected = !approved && step.onReject !== 'continue';
      const data = { comment, by: actor.username };
      const error = isRejected ? toStoredError(conflict('REJECTED', 'The approval was refused', data)) : null;
      const status = isRejected ? 'FAILED' : 'SUCCEEDED';
      await saveSteps(transaction, run, [{ ...row, status, error, output, dueAt: null, finishedAt: run.now }]);
    });
  }

  /** Cancels a run: attempts under way end, then compensations run. Idempotent. @throws CONFLICT (STATE) */
  async cancel(actor: Actor, runPid: string, reason: string | null): Promise<RunWithSteps> {
    return this.#change(actor, await this.#permitted(actor, runPid), async (transaction, run) => {
      if (hasRunEnded(run)) throw conflict('STATE', text('The run is {status}', { status: run.status }));
      if (run.ending) return;
      const data = { by: actor.username, comment: reason };
      const error = toStoredError(conflict('CANCELLED', 'The run was cancelled', data));
      await saveRun(transaction, { ...run, ending: 'CANCELLED', error });
    });
  }

  /** Continues a failed run from where it failed. @throws CONFLICT (STATE) */
  async retry(actor: Actor, runPid: string): Promise<RunWithSteps> {
    return this.#change(actor, await this.#permitted(actor, runPid), async (transaction, run) => {
      const { status } = run;
      if (status !== 'FAILED') throw conflict('STATE', text('The run is {status}, not FAILED', { status }));
      // The trigger's input was invalid, and a retry has the same input.
      if (run.startedAt === null) throw conflict('STATE', 'The run has never begun');
      const settledSteps = await restartSteps(transaction, run.pid, await this.#definitions.of(run));
      const again = { ending: null, error: null, finishedAt: null, retries: run.retries + 1, settledSteps };
      await saveRun(transaction, { ...run, ...again, status: 'RUNNING' });
    });
  }

  async #change(
    actor: Actor,
    known: RunRow,
    change: (transaction: Transaction, run: LockedRun) => Promise<void>,
  ): Promise<RunWithSteps> {
    const targets = await this.#database.transaction(async (transaction): Promise<SignalTarget[]> => {
      const run = await lockRun(transaction, known);
      if (!run) throw notFound('There is no such run');
      await change(transaction, run);
      return markForSignal(transaction, [run.pid]);
    });
    await this.#signaller.signal(targets);
    return this.#shown(actor, await this.#known(known.pid));
  }

  async #shown(
    actor: Actor,
    run: RunRow,
    status: StepStatus | null = null,
    limit = MAX_SHOWN_STEPS,
    offset = 0,
  ): Promise<RunWithSteps> {
    const { steps, total } = await pageOfSteps(this.#database, run.pid, status, limit, offset);
    const [visible] = await this.#visibility.of(actor, [run]);
    if (!visible) throw new ApplicationError('INTERNAL_ERROR');
    const stored = await shownOutputs(this.#database, run.pid, steps);
    return { visible, steps, total, outputs: await this.#visibility.outputs(actor, visible, steps, stored) };
  }

  async #visible({ tenantId, metadata }: Actor, runPid: string): Promise<RunRow> {
    const run = await findRun(this.#database, runPid);
    const isOwn = run?.tenantId === tenantId && run.environment === metadata.environment;
    if (!isOwn) throw notFound('There is no such run');
    return run;
  }

  async #permitted(actor: Actor, runPid: string): Promise<RunRow> {
    const run = await this.#visible(actor, runPid);
    if (!isRunnable(actor, run)) throw notRunnable(run);
    return run;
  }

  async #known(runPid: string): Promise<RunRow> {
    const run = await findRun(this.#database, runPid);
    if (!run) throw new ApplicationError('INTERNAL_ERROR');
    return run;
  }
}

function isRunnable({ permissions }: Actor, { automationCode: code }: RunRow): boolean {
  return permissions.has(permissionCode.automationRun(code));
}

function notRunnable({ automationCode: code }: RunRow): ApplicationError {
  return forbidden(permissionCode.automationRun(code));
}
