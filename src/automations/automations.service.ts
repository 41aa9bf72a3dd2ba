import { authorise, type Actor } from '../auth/actor.ts';
import type { Database, Transaction } from '../database/pool.ts';
import {
  ApplicationError,
  conflict,
  forbidden,
  notFound,
  throwIfInvalid,
  type FieldErrors,
} from '../errors/application-error.ts';
import { toStoredError } from '../errors/failure.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import type { Automation } from '../metadata/snapshot.ts';
import { checkFourEyes, isAsked, stepToDecide, wasAsked } from './approval.ts';
import type { RunStatus } from './automation-run.entity.ts';
import type { Definitions } from './definitions.ts';
import { newRun } from './new-run.ts';
import { planRetry } from './retry-plan.ts';
import { isOver } from './run-advancer.ts';
import { checkInput } from './run-input.ts';
import {
  codesWithRuns,
  findHolder,
  findRun,
  insertRuns,
  listRuns,
  lockRun,
  markWoken,
  saveRun,
  type RunRow,
  type Wakeable,
} from './run-store.ts';
import type { RunWaker } from './run-waker.ts';
import { deleteSteps, outputsOf, saveSteps, stepsOfRun, type StepRow } from './step-store.ts';

export interface RunWithSteps {
  readonly run: RunRow;
  readonly steps: readonly StepRow[];
}

/** What a person says to a step that waits for an approval. */
export interface Decision {
  readonly approved: boolean;
  readonly comment: string | null;
  readonly step: string | null;
}

/** Begins runs, shows them, and lets people decide about them. */
export class AutomationsService {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #waker: RunWaker;

  constructor(database: Database, definitions: Definitions, waker: RunWaker) {
    this.#database = database;
    this.#definitions = definitions;
    this.#waker = waker;
  }

  /** The automations that the actor may run. */
  runnable({ metadata, permissions }: Actor): Automation[] {
    const all = [...metadata.automations.values()].sort((a, b) => a.code.localeCompare(b.code));
    return all.filter(({ code }) => permissions.has(permissionCode.automationRun(code)));
  }

  /**
   * Begins a run, as the actor. The same idempotency key begins one.
   * @returns the run, and whether it had been begun before, with another input perhaps
   * @throws VALIDATION_ERROR by input field; NOT_FOUND
   */
  async start(
    actor: Actor,
    code: string,
    given: Readonly<Record<string, unknown>>,
    idempotencyKey: string | null,
    traceId: string,
  ): Promise<{ run: RunRow; replay: { mismatch: boolean } | null }> {
    const automation = actor.metadata.automation(code);
    const errors: FieldErrors = {};
    const input = checkInput(automation.content, given, errors);
    throwIfInvalid(errors);
    const { userId, userPid, username, tenantId, roles } = actor;
    const { environment } = actor.metadata;
    const by = { environment, tenantId, userId, userPid, username, roles, traceId, idempotencyKey };
    const wanted = newRun(automation, { ...by, trigger: 'manual', triggerKey: null }, input);
    const [begun] = await insertRuns(this.#database, [wanted]);
    if (begun) {
      await this.#waker.wake([begun]);
      return { run: await this.#known(begun.pid), replay: null };
    }
    const holder = await findHolder(this.#database, wanted);
    if (!holder) throw conflict('IN_PROGRESS', 'The first request with this key is still running');
    return { run: holder, replay: { mismatch: holder.request_hash !== wanted.request_hash } };
  }

  /** Runs of the automations that the actor may run, the newest first. @throws FORBIDDEN for another automation */
  async list(
    actor: Actor,
    filter: { code: string | null; status: RunStatus | null },
    limit: number,
    offset: number,
  ): Promise<{ runs: RunRow[]; total: number }> {
    const { tenantId, permissions, metadata } = actor;
    const { environment } = metadata;
    if (filter.code !== null) authorise(actor, permissionCode.automationRun(filter.code));
    const known = filter.code === null ? await codesWithRuns(this.#database, environment, tenantId) : [filter.code];
    const codes = known.filter((code) => permissions.has(permissionCode.automationRun(code)));
    return listRuns(this.#database, { environment, tenantId, codes, status: filter.status }, limit, offset);
  }

  /** @throws NOT_FOUND for another tenant's or environment's; FORBIDDEN for who neither may run it nor is asked by it */
  async get(actor: Actor, runPid: string): Promise<RunWithSteps> {
    const run = await this.#visible(actor, runPid);
    return { run, steps: await this.#stepsFor(actor, run) };
  }

  /** @throws NOT_FOUND, FORBIDDEN, CONFLICT (STATE, AMBIGUOUS), FOUR_EYES_REQUIRED */
  async decide(actor: Actor, runPid: string, { approved, comment, step: named }: Decision): Promise<RunWithSteps> {
    await this.#visible(actor, runPid);
    return this.#change(actor, runPid, async (transaction, run, steps) => {
      if (!isRunnable(actor, run) && !wasAsked(steps, actor)) throw missing(run);
      const row = stepToDecide(steps, named, actor);
      const { step } = (await this.#definitions.of(run)).step(row.step_id);
      if (step.type !== 'approval' || !isAsked(row, actor)) throw conflict('STATE');
      checkFourEyes(step, run, actor);
      const asked = (await outputsOf(transaction, run.pid, [row.key])).get(row.key) as object | undefined;
      const by = { pid: actor.userPid, username: actor.username };
      const output = { ...asked, approved, comment, by };
      const isRefusal = !approved && step.onReject !== 'continue';
      const data = { comment, by: actor.username };
      const error = isRefusal ? toStoredError(conflict('REJECTED', 'The approval was refused', data)) : null;
      const status = isRefusal ? 'FAILED' : 'SUCCEEDED';
      await saveSteps(transaction, run, [{ ...row, status, error, output, due_at: null, finished_at: run.now }]);
    });
  }

  /** Ends a run: what is under way ends, what was done is undone. Asking twice changes nothing. @throws CONFLICT (STATE) */
  async cancel(actor: Actor, runPid: string, reason: string | null): Promise<RunWithSteps> {
    await this.#permitted(actor, runPid);
    return this.#change(actor, runPid, async (transaction, run) => {
      if (isOver(run)) throw conflict('STATE', `The run is ${run.status}`);
      if (run.ending) return;
      const data = { by: actor.username, comment: reason };
      const error = toStoredError(conflict('CANCELLED', 'The run was cancelled', data));
      await saveRun(transaction, { ...run, ending: 'CANCELLED', error });
    });
  }

  /** Has a failed run go on from where it failed. @throws CONFLICT (STATE) */
  async retry(actor: Actor, runPid: string): Promise<RunWithSteps> {
    await this.#permitted(actor, runPid);
    return this.#change(actor, runPid, async (transaction, run, steps) => {
      if (run.status !== 'FAILED') throw conflict('STATE', `The run is ${run.status}, not FAILED`);
      // Its trigger's input was wrong: with the same input it is wrong again.
      if (run.started_at === null) throw conflict('STATE', 'The run has never begun');
      const { changes, forgotten } = planRetry(await this.#definitions.of(run), steps);
      await saveSteps(transaction, run, changes);
      await deleteSteps(transaction, run.pid, forgotten);
      const again = { ending: null, error: null, finished_at: null, retries: run.retries + 1 };
      await saveRun(transaction, { ...run, ...again, status: 'RUNNING' });
    });
  }

  async #change(
    actor: Actor,
    runPid: string,
    work: (transaction: Transaction, run: RunRow & { now: string }, steps: readonly StepRow[]) => Promise<void>,
  ): Promise<RunWithSteps> {
    const woken = await this.#database.transaction(async (transaction): Promise<Wakeable[]> => {
      const run = await lockRun(transaction, runPid);
      if (!run) throw notFound('There is no such run');
      await work(transaction, run, await stepsOfRun(transaction, runPid));
      return markWoken(transaction, [runPid]);
    });
    await this.#waker.wake(woken);
    const run = await this.#known(runPid);
    return { run, steps: await this.#stepsFor(actor, run) };
  }

  async #visible({ tenantId, metadata }: Actor, runPid: string): Promise<RunRow> {
    const run = await findRun(this.#database, runPid);
    const own = run?.tenant_id === tenantId && run.environment === metadata.environment;
    if (!own) throw notFound('There is no such run');
    return run;
  }

  async #permitted(actor: Actor, runPid: string): Promise<void> {
    const run = await this.#visible(actor, runPid);
    if (!isRunnable(actor, run)) throw missing(run);
  }

  async #stepsFor(actor: Actor, run: RunRow): Promise<StepRow[]> {
    const steps = await stepsOfRun(this.#database, run.pid);
    if (!isRunnable(actor, run) && !wasAsked(steps, actor)) throw missing(run);
    return steps;
  }

  async #known(runPid: string): Promise<RunRow> {
    const run = await findRun(this.#database, runPid);
    if (!run) throw new ApplicationError('INTERNAL_ERROR');
    return run;
  }
}

function isRunnable({ permissions }: Actor, { automation_code: code }: RunRow): boolean {
  return permissions.has(permissionCode.automationRun(code));
}

function missing({ automation_code: code }: RunRow): ApplicationError {
  return forbidden(permissionCode.automationRun(code));
}
