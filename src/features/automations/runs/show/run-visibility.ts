import { defaultMessage, type StoredError } from '../../../../foundation/errors/failure.ts';
import type { Database } from '../../../../foundation/database/pool.ts';
import { ANY_FIELD, fieldsIn, type ValueOrigin } from '../../../../foundation/expressions/value-origin.ts';
import { actorOf, type Actor } from '../../../../platform/auth/requests/actor.ts';
import type {
  EventQuestion,
  EventVisibility,
  ReadableEvent,
} from '../../../../platform/events/audience/event-visibility.ts';
import { ADMIN_METADATA, permissionCode } from '../../../../platform/metadata/permissions/permission-codes.ts';
import {
  hasHiddenFields,
  valuesHiddenFrom,
  visibleValue,
  type IsHidden,
} from '../../../../platform/metadata/snapshot/visible-value.ts';
import { stepsOf } from '../../definition/automation-content.ts';
import { COMPENSATION, type Definition } from '../../definition/definition.ts';
import { isApprover } from '../approvals/approvals.ts';
import type { AnyStep } from '../../steps/step-schema.ts';
import type { Definitions } from '../values/definitions.ts';
import { eventOf } from '../values/run-event.ts';
import { RunValueOrigins } from '../values/run-value-origins.ts';
import type { RunRow } from '../rows/run-store.ts';
import type { StepRow } from '../rows/step-store.ts';

/** Parts of an error's data that name no value of a record. */
const PLAIN_DATA = ['step', 'type', 'path', 'reason', 'permission'] as const;

/** A run as a reader may see it. */
export interface VisibleRun {
  readonly run: RunRow;
  readonly definition: Definition;
  /** Whether the reader may see all that the run can have read and written. */
  readonly isWhole: boolean;
  readonly origins: RunValueOrigins;
  /** Null where the reader may not see the event that started the run. */
  readonly input: Readonly<Record<string, unknown>> | null;
}

/** A run with its steps, as a reader may see them. */
export interface RunWithSteps {
  readonly visible: VisibleRun;
  readonly steps: readonly StepRow[];
  /** The number of all its steps, shown or not. */
  readonly total: number;
  /** By key. */
  readonly outputs: ReadonlyMap<string, unknown>;
}

/**
 * What a reader sees of a run: all of it, if they may see all that the run can have read and written; else
 * the values of fields and records that they may read.
 */
export class RunVisibility {
  readonly #database: Database;
  readonly #definitions: Definitions;
  readonly #visibility: EventVisibility;

  constructor(database: Database, definitions: Definitions, visibility: EventVisibility) {
    this.#database = database;
    this.#definitions = definitions;
    this.#visibility = visibility;
  }

  /** In the order of the runs; one round trip for the row rules of all. */
  async of(reader: Actor, runs: readonly RunRow[]): Promise<VisibleRun[]> {
    const events = runs.map((run) => eventOf(run.event));
    const questions = events.flatMap((event): EventQuestion[] => (event ? [{ event, reader }] : []));
    const bodies = await this.#bodies(questions);
    const seen = new Set(questions.filter((_, index) => bodies[index]).map(({ event }) => event));
    const definitions = await Promise.all(runs.map((run) => this.#definitions.of(run)));
    return runs.map((run, index) => {
      const event = events[index];
      const definition = definitions[index] as Definition;
      const models = modelsOf(run, definition, event ?? null, reader);
      const origins = RunValueOrigins.ofRun(definition, run, reader.metadata);
      const isSeen = !event || seen.has(event);
      const isWhole = isSeen && models !== null && this.#seesAll(models, run, reader);
      const input = isSeen ? (isWhole ? run.input : this.#visibleInput(run, origins, reader)) : null;
      return { run, definition, isWhole, origins, input };
    });
  }

  /** The outputs of steps that the reader may see, by key. */
  async outputs(
    reader: Actor,
    visible: VisibleRun,
    steps: readonly StepRow[],
    outputs: ReadonlyMap<string, unknown>,
  ): Promise<ReadonlyMap<string, unknown>> {
    const shown = new Map<string, unknown>();
    const awaited: { key: string; event: ReadableEvent }[] = [];
    for (const row of steps) {
      const output = outputs.get(row.key);
      if (output === undefined) continue;
      const event = row.type === 'waitForEvent' ? eventOf((output as { event?: unknown }).event) : null;
      if (visible.isWhole && !event) shown.set(row.key, output);
      else if (event) awaited.push({ key: row.key, event });
      else {
        const cut = visibleOutput(row, visible.origins.ofOutput(row.stepId), output, reader, this.#visibility);
        if (cut !== undefined) shown.set(row.key, cut);
      }
    }
    const bodies = await this.#bodies(awaited.map(({ event }) => ({ event, reader })));
    for (const [index, { key, event }] of awaited.entries()) {
      const body = bodies[index];
      if (body) shown.set(key, { event: { eventType: event.eventType, recordPid: event.recordPid, ...body.body() } });
    }
    return shown;
  }

  /** A run that acts as the reader, with roles that the reader has, has read nothing that they may not. */
  #seesAll(models: ReadonlySet<string>, run: RunRow, reader: Actor): boolean {
    const isOwn = run.userPid === reader.userPid && run.roles.every((role) => reader.roles.includes(role));
    return !hasHiddenFields(models, reader) && (isOwn || this.#visibility.seesRecordsOf(models, reader));
  }

  /** No event records what a command has read, so the row rules of whole models decide. */
  #visibleInput(run: RunRow, origins: RunValueOrigins, reader: Actor): Record<string, unknown> {
    const isHidden = run.inputOrigin ? hiddenInRuns(reader, this.#visibility) : valuesHiddenFrom(reader);
    return (visibleValue(run.input, origins.ofInput, isHidden) ?? {}) as Record<string, unknown>;
  }

  async #bodies(questions: readonly EventQuestion[]) {
    return this.#visibility.visibleBodies((work) => this.#database.transaction(work), questions);
  }
}

/** The part of a step's output that a reader sees who does not see the whole run. */
function visibleOutput(
  row: StepRow,
  origins: ValueOrigin,
  output: unknown,
  reader: Actor,
  visibility: EventVisibility,
): unknown {
  // The question was written for the approver.
  if (row.type === 'approval' && isApprover(row, reader)) return output;
  if (row.type === COMPENSATION) return undefined;
  return visibleValue(output, origins, hiddenInRuns(reader, visibility));
}

/** Row rules decide by record, but a value may come from any record of its model. */
function hiddenInRuns(reader: Actor, visibility: EventVisibility): IsHidden {
  const isHidden = valuesHiddenFrom(reader);
  return (field) =>
    field === ANY_FIELD || isHidden(field) || !visibility.seesRecordsOf([field.slice(0, field.indexOf('.'))], reader);
}

/**
 * An error as the reader may see it: its code and its step always, its message and data with the whole run.
 */
export function visibleError(error: StoredError | null, isWhole: boolean): StoredError | null {
  if (!error || isWhole) return error;
  const { code, data } = error;
  const plain = PLAIN_DATA.flatMap((name) => (data && name in data ? [[name, data[name]] as const] : []));
  return { code, message: defaultMessage(code), data: Object.fromEntries(plain) };
}

/** The models whose records the run's data can be of; null where it can be of the configuration. */
function modelsOf(run: RunRow, definition: Definition, event: ReadableEvent | null, reader: Actor): Set<string> | null {
  const { metadata, permissions } = reader;
  const models = new Set<string>(event?.modelCode ? [event.modelCode] : []);
  for (const field of fieldsIn(run.inputOrigin ?? {})) models.add(field.slice(0, field.indexOf('.')));
  for (const { step } of stepsOf(definition.content.steps)) {
    for (const code of modelsOfStep(step, run, reader)) models.add(code);
    if (isOfConfiguration(step, reader) && !permissions.has(ADMIN_METADATA)) return null;
  }
  for (const code of event ? metadata.modelsWrittenBy(event.commandCode) : []) models.add(code);
  return models;
}

function modelsOfStep(step: AnyStep, run: RunRow, { metadata }: Actor): Iterable<string> {
  if (step.type === 'query') return [String(step.modelCode)];
  if (step.type === 'command') return metadata.modelsWrittenBy(String(step.commandCode));
  if (step.type !== 'assistant') return [];
  const { permissions } = actorOf(run, metadata);
  return [...metadata.models.keys()].filter((code) => permissions.has(permissionCode.recordRead(code)));
}

/** A command that writes no model is one of the platform, or no longer exists. */
function isOfConfiguration({ type, commandCode }: AnyStep, { metadata }: Actor): boolean {
  return type === 'command' && metadata.modelsWrittenBy(String(commandCode)).size === 0;
}
