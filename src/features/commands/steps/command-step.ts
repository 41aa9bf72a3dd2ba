import { Type, type TLiteral, type TObject, type TProperties } from 'typebox';
import { validationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { TypeCheck, ValueType } from '../../../foundation/expressions/type-check.ts';
import type { ValueOrigin } from '../../../foundation/expressions/value-origin.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { MAX_EVENT_PAYLOAD_BYTES } from '../../../platform/events/events.limits.ts';
import { closedObject, CONDITION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import type { Configuration, Reference } from '../../../platform/metadata/resources/resource-type.ts';
import type { CommandWriter } from './command-writer.ts';
import type { ResultType } from './result-type.ts';

/** A step of whatever kind. The keys beyond these are those of its kind's schema. */
export interface AnyCommandStep {
  id: string;
  type?: string;
  when?: string;
  [key: string]: unknown;
}

/** A kind of step of commands. Paths are those in the step. */
export interface CommandStepKind<S extends AnyCommandStep = AnyCommandStep> {
  /** Its keys; those that every step has are among them. */
  readonly schema: TObject;
  /** Whether a command without `result` answers the step's output. */
  readonly isAnswered: boolean;
  /** The reason of the conflict that it refuses the command with, where its author names one. */
  reason?(step: S): string | undefined;
  /** Its expressions that are true or false, beside `when`. */
  conditions?(step: S): Iterable<readonly [path: string, source: string]>;
  /** The list for each item of which it is done: its other expressions, but for `when`, may read `item`. */
  list?(step: S): string | undefined;
  /** Its other expressions. */
  expressions(step: S): Iterable<readonly [path: string, source: string]>;
  /** @param at its path in the content */
  references?(step: S, at: string): Reference[];
  /** Problems of it among the other resources: path -> problem. */
  problems?(step: S, place: StepPlace): FieldErrors;
  /** What later expressions know of its output. @param check of the expressions of the step itself */
  outputType(step: S, after: Configuration, check: TypeCheck): ValueType;
  /** The fields that its output comes from. */
  outputOrigin(step: S, originOf: (source: string) => ValueOrigin): ValueOrigin;
  /** Its output, as types are printed. */
  resultType(step: S, about: ResultContext): ResultType;
  /** The expressions whose values it writes into fields (`<model>.<field>`). */
  writes?(step: S): Iterable<{ readonly path: string; readonly field: string; readonly source: string }>;
  /** The code of the model whose records it writes. */
  modelWritten?(step: S): string;
  /** The code of the model whose records it reads. */
  modelRead?(step: S): string;
  /** The event that it emits. */
  event?(step: S): StepEventContent;
  /** Runs it. @throws the command's failure */
  run(step: S, execution: StepExecution): Promise<StepOutput> | StepOutput;
}

/** Where a step stands. */
export interface StepPlace {
  readonly commandCode: string;
  /** The type of the command's own event. */
  readonly eventType: string;
  /** The resources, the command among them. */
  readonly after: Configuration;
  /** Of its own expressions. */
  readonly check: TypeCheck;
}

/** What the printed types of a step depend on. */
export interface ResultContext {
  /** Fields that the command reveals. */
  readonly reveals: readonly string[];
  readonly typeOf: (source: string) => ResultType;
  /** Of `<model>.<field>`. */
  readonly fieldOf: (modelCode: string, code: string) => ResultType;
}

/** An event that a step emits: its type, and its payload as expressions. */
export interface StepEventContent {
  readonly eventType: string;
  readonly payload: Readonly<Record<string, string>>;
}

/** The output of a step: as JSON, and as later expressions read it. */
export interface StepOutput {
  readonly output: unknown;
  readonly read: unknown;
}

/** The context of a running step. Expressions are evaluated when asked for. */
export interface StepExecution {
  readonly actor: Actor;
  readonly writer: CommandWriter;
  /** @throws VALIDATION_ERROR, EXPRESSION_LIMIT */
  readonly evaluate: (source: string, path: string) => unknown;
  /** With exact numbers and times, as expressions read them. */
  readonly compute: (source: string, path: string) => unknown;
  /** Whether a condition holds. @throws VALIDATION_ERROR, EXPRESSION_LIMIT */
  readonly holds: (source: string, path: string) => boolean;
  readonly evaluateAll: EvaluateAll;
  /** With exact numbers and times, as expressions read them. */
  readonly computeAll: EvaluateAll;
  /** The same for an item of the step's list. */
  readonly forItem: (item: unknown) => StepExecution;
  /** The fields that the value of an expression comes from. */
  readonly originOf: (source: string) => ValueOrigin;
}

type EvaluateAll = (mapping: Readonly<Record<string, string>>, path: string) => Promise<Record<string, unknown>>;

export const ANY_STEP = {
  id: Type.String({ ...IDENTIFIER, description: 'Later expressions read what the step gives as `steps.<id>`' }),
  when: Type.Optional(CONDITION),
};

/** The schema of a kind that is named by `type`. */
export function stepSchema<T extends string, P extends TProperties>(type: T, properties: P) {
  return closedObject({ type: Type.Literal(type), ...ANY_STEP, ...properties });
}

/** A kind that is named by `type`. */
export interface NamedStepKind<S extends AnyCommandStep = AnyCommandStep> extends CommandStepKind<S> {
  readonly schema: TObject<{ type: TLiteral<string> }>;
}

/** The problems of the fields of a step, under its id. */
export function atStep(id: string, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([code, problem]) => [`${id}.${code}`, problem]));
}

/** The expressions of a mapping, below its key. */
export function expressionsIn(
  key: string,
  mapping: Readonly<Record<string, string>> = {},
): (readonly [path: string, source: string])[] {
  return Object.entries(mapping).map(([name, source]) => [`${key}.${name}`, source]);
}

/** Limits the size of a stored payload. @throws VALIDATION_ERROR at `path` */
export function checkSize(path: string, value: unknown): void {
  const max = MAX_EVENT_PAYLOAD_BYTES;
  if (Buffer.byteLength(JSON.stringify(value)) <= max) return;
  throw validationError({ [path]: text('must not be larger than {max} bytes', { max }) });
}
