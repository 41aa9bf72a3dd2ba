import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { type StoredError, toStoredError } from '../../../foundation/errors/failure.ts';
import type { Database } from '../../../foundation/database/pool.ts';
import type { Logger } from '../../../foundation/logging/logger.ts';
import type { OutboundHttp } from '../../../foundation/outbound/outbound-http.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { TypeCheck, ValueType } from '../../../foundation/expressions/type-check.ts';
import type { ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import type { Configuration, Reference } from '../../../platform/metadata/resources/resource-type.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { Secrets } from '../../../platform/metadata/content/secret-references.ts';
import type { Prompter } from '../../assistant/replies/prompter.ts';
import type { CommandsService } from '../../commands/intake/commands.service.ts';
import type { RecordService } from '../../records/service/records.service.ts';
import type { StepExpressions } from './step-expressions.ts';
import type { AnyStep, StepSchema } from './step-schema.ts';
import { type Message, text } from '../../../foundation/i18n/text.ts';
import { SecretUnreadableError } from '../../../foundation/secrets/secret-box.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { NewEvent } from '../../../platform/events/outbox/outbox.ts';
import { MAX_OUTPUT_BYTES } from '../automations.limits.ts';

/** Outcome of one attempt of a step; `event` is sent in the transaction that ends the attempt. */
export type StepOutcome =
  | { readonly kind: 'done'; readonly output: unknown; readonly event?: NewEvent }
  | { readonly kind: 'failed'; readonly error: StoredError; readonly retryable: boolean };

/** Failures that the same attempt would meet again. */
const FINAL: ReadonlySet<string> = new Set(['VALIDATION_ERROR', 'EXPRESSION_LIMIT', 'FORBIDDEN', 'NOT_FOUND']);

export function failedWith(error: ApplicationError, retryable = !isFinal(error)): StepOutcome {
  return { kind: 'failed', error: toStoredError(error), retryable };
}

function isFinal(error: ApplicationError): boolean {
  return FINAL.has(error.code) || error instanceof SecretUnreadableError;
}

export function withinSizeLimit(outcome: StepOutcome): StepOutcome {
  if (outcome.kind !== 'done' || outcome.output === undefined) return outcome;
  const bytes = Buffer.byteLength(JSON.stringify(outcome.output) ?? '');
  if (bytes <= MAX_OUTPUT_BYTES) return outcome;
  return failedWith(
    new ApplicationError('PAYLOAD_TOO_LARGE', {
      message: text('The step gave {bytes} bytes; a run keeps 1 MiB of one', { bytes }),
    }),
    false,
  );
}

/** An event that a step sends. */
export interface SentEvent {
  readonly eventType: string;
  readonly payloadKeys: readonly string[];
}

interface KindOfStep<S extends AnyStep> {
  /** The keys of the step. Texts with the content type of CEL are its expressions. */
  readonly schema: StepSchema;
  /** Keys whose expressions may name secrets of the environment. */
  readonly secretKeys?: readonly string[];
  /** The problem of a step beyond its schema; null if none. */
  problemOf?(step: S): Message | null;
  /**
   * Problems of the step among the other resources: path in the step -> problem.
   * @param check of its expressions
   */
  problemsAmong?(step: S, after: Configuration, check: TypeCheck): FieldErrors;
  /** The resources that the step cannot work without, with paths in the step. */
  references?(step: S): Reference[];
  /** Permission codes without which the step fails, with the keys that they are for. */
  permissionsNeeded?(step: S): readonly (readonly [key: string, permission: string])[];
  /** The event that the step sends. */
  emits?(step: S, automationCode: string): SentEvent;
  /** The type of the step's output for later expressions; any by default. */
  outputType?(step: S, after: Configuration): ValueType;
  /** The fields that its output comes from; anything where it does not say. */
  outputOrigin?(step: S, originOf: (source: string) => ValueOrigin, metadata: Snapshot): ValueOrigin;
}

/** A kind of step that acts outside its run: each attempt is an activity. */
export interface ActivityStepKind<S extends AnyStep = AnyStep> extends KindOfStep<S> {
  /** How long one attempt may take where the step does not say. */
  readonly defaultTimeoutSeconds: number;
  /** Makes one attempt. @throws the step's failure, or a transient fault */
  execute(step: S, attempt: StepAttempt, services: StepServices): Promise<StepOutcome> | StepOutcome;
}

/** A kind of step that is decided within its run, without an activity: it branches, loops or waits. */
export interface ControlStepKind<S extends AnyStep = AnyStep> extends KindOfStep<S> {
  /** Begins the step. @throws the step's failure */
  begin(step: S, start: StepStart): StepTransition | Promise<StepTransition>;
  /** Ends a step that waits, once its time has come. */
  expire?(step: S, state: StepState): StepTransition;
  /** The lists of steps within the step, with their paths in it. */
  blocks?(step: S): [path: string, steps: readonly AnyStep[]][];
  /** Runs the blocks that `begin` has chosen as far as they get. */
  runBlocks?(step: S, state: StepState, blocks: Blocks): Promise<BlockResult>;
  /**
   * The list for each item of which the step repeats its block: the steps in it are then visible in their own
   * iteration only.
   */
  list?(step: S): string;
}

export type StepKind = ActivityStepKind | ControlStepKind;

/** What a kind needs to begin a step. */
export interface StepStart {
  readonly expressions: StepExpressions;
  readonly now: Date;
  /** The pid of the active user of the run's tenant who has this pid or e-mail. */
  readonly findMember: (pidOrEmail: string) => Promise<string | null>;
  /** How many items the run may still have. */
  readonly itemsLeft: number;
}

/** A started step, as its kind sees it. */
interface StepState {
  /** What the kind has decided: the case of a branch, the number of items, STOPPED. */
  readonly control: number | null;
  readonly dueAt: string | null;
}

/** `control` of a step after which its block ends well. */
export const STOPPED = -2;

/** The changes to a step; absent keys stay. */
export interface StepTransition {
  readonly status?: 'RUNNING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
  readonly output?: unknown;
  readonly control?: number | null;
  readonly error?: StoredError | null;
  readonly dueAt?: string | null;
  /** The event type that the step waits for. */
  readonly waitFor?: string | null;
  /** The value that a matching event must hold, if known beforehand. */
  readonly waitCorrelation?: string | null;
  readonly approverRole?: string | null;
  readonly approverUser?: string | null;
}

/** How far a list of steps has come. */
export type BlockResult =
  | { readonly outcome: 'done' | 'active' | 'stopped' }
  | { readonly outcome: 'failed'; readonly error: StoredError | null };

/** Runs the blocks within a step. */
export interface Blocks {
  /** Advances a block. */
  run(steps: readonly AnyStep[]): Promise<BlockResult>;
  /** Runs a loop's block for its next item, those under way first. Null when none can go on now. */
  runNextItem(steps: readonly AnyStep[]): Promise<BlockResult | null>;
  /** Whether items of a loop have not begun. */
  readonly hasItems: boolean;
}

/** One attempt of a step that acts outside its run. */
export interface StepAttempt {
  /** Names the step in its run. */
  readonly key: string;
  /** The same for all attempts; another one once the step was undone and is done again. */
  readonly idempotencyKey: string;
  readonly expressions: StepExpressions;
  /** The fields that the value of one of the step's expressions comes from. */
  readonly originOf: (source: string) => ValueOrigin;
  readonly actor: Actor;
  readonly run: {
    readonly pid: string;
    readonly automationCode: string;
    readonly environment: string;
    readonly tenantId: string;
    readonly traceId: string;
  };
  readonly timeoutMs: number;
  /** Aborted when the attempt has taken too long. */
  readonly signal: AbortSignal;
}

/** The services that steps use. */
export interface StepServices {
  readonly database: Database;
  readonly commands: CommandsService;
  readonly records: RecordService;
  readonly http: OutboundHttp;
  readonly secrets: Secrets;
  readonly prompter: Prompter;
  readonly logger: Logger;
}
