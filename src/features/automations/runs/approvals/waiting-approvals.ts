import type { Database } from '../../../../foundation/database/pool.ts';
import type { Actor } from '../../../../platform/auth/requests/actor.ts';
import { personOf } from '../../../../platform/auth/requests/actor.ts';
import type { EventVisibility, ReadableEvent } from '../../../../platform/events/audience/event-visibility.ts';
import type { Definition } from '../../definition/definition.ts';
import { approvalStep } from '../../steps/approval.step.ts';
import { isStepOf } from '../../steps/step-kinds.ts';
import type { Definitions } from '../values/definitions.ts';
import { findRuns, type RunRow } from '../rows/run-store.ts';
import { eventOf } from '../values/run-event.ts';
import { waitingApprovals } from './approval-store.ts';

/** A step that waits for an approver's decision. */
export interface WaitingApproval {
  readonly runPid: string;
  readonly automationCode: string;
  /** Its key. */
  readonly step: string;
  readonly message: unknown;
  /** The record that the run is about, where the approver may read it. */
  readonly record: { readonly modelCode: string; readonly pid: string } | null;
  readonly since: string;
  readonly due: string | null;
  /** False for the person who started the run, where another one must decide. */
  readonly mayDecide: boolean;
}

/** Lists the approvals that a user is asked for. */
export class WaitingApprovals {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #visibility: EventVisibility;

  constructor(database: Database, definitions: Definitions, visibility: EventVisibility) {
    this.#database = database;
    this.#definitions = definitions;
    this.#visibility = visibility;
  }

  /** Oldest first. No permission is needed: the approver was asked. */
  async list(
    actor: Actor,
    limit: number,
    offset: number,
  ): Promise<{ approvals: readonly WaitingApproval[]; total: number }> {
    const { rows, total } = await waitingApprovals(this.#database, actor, limit, offset);
    const runs = new Map(
      (
        await findRuns(
          this.#database,
          rows.map(({ runPid }) => runPid),
        )
      ).map((run) => [run.pid, run]),
    );
    const found = await Promise.all(
      rows.flatMap(({ stepId, ...row }) => {
        const run = runs.get(row.runPid);
        if (!run) return [];
        return [this.#definitions.of(run).then((definition) => ({ row, run, definition, stepId }))];
      }),
    );
    const records = found.map(({ run, definition }) => recordOf(run, definition));
    const asked = records.flatMap((event) => (event ? [{ event, reader: actor }] : []));
    const bodies = await this.#visibility.visibleBodies((work) => this.#database.transaction(work), asked);
    const readable = new Set(asked.filter((_, index) => bodies[index]).map(({ event }) => event));
    const approvals = found.map(({ row, run, definition, stepId }, index): WaitingApproval => {
      const record = records[index];
      const { step } = definition.step(stepId);
      const isOther = !isStepOf(approvalStep, step) || !step.fourEyes || personOf(run) !== personOf(actor);
      return {
        ...row,
        automationCode: run.automationCode,
        record:
          record?.recordPid && readable.has(record) ? { modelCode: record.modelCode, pid: record.recordPid } : null,
        mayDecide: isOther,
      };
    });
    return { approvals, total };
  }
}

/**
 * The record of the event that started the run, or of its first input that names one, as the rule of events
 * reads it.
 */
function recordOf(run: RunRow, { content }: Definition): ReadableEvent | null {
  const event = eventOf(run.event);
  if (event) return event;
  for (const { code, type, target } of content.input ?? []) {
    const pid = run.input[code];
    if (type === 'relation' && target !== undefined && typeof pid === 'string') {
      return { eventType: 'record.updated', commandCode: '', modelCode: target, recordPid: pid, body: '{}' };
    }
  }
  return null;
}
