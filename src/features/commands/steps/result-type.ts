import type { ExpressionType as ScalarType } from '../../../foundation/expressions/type-check.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import type { Field } from '../../../platform/metadata/models/model.ts';

/** What a command answers, or a part of it. Types are printed from it, and JSON Schemas. */
export type ResultType =
  /** A record, in which `revealed` fields are there for every caller. */
  | { readonly kind: 'record'; readonly modelCode: string; readonly revealed: readonly string[] }
  /** `{pid}` of a record that is deleted. */
  | { readonly kind: 'deleted'; readonly modelCode: string }
  | { readonly kind: 'field'; readonly modelCode: string; readonly field: Field }
  | { readonly kind: 'payload'; readonly field: FieldContent }
  | { readonly kind: 'object'; readonly members: readonly ResultMember[] }
  | { readonly kind: 'oneOf'; readonly types: readonly ResultType[] }
  | { readonly kind: 'allOf'; readonly types: readonly ResultType[] }
  | { readonly kind: 'list'; readonly items: ResultType }
  | { readonly kind: ScalarType | 'user' | 'null' | 'unknown' };

export interface ResultMember {
  readonly name: string;
  readonly type: ResultType;
  /** Permission codes without which a caller is not answered it. */
  readonly needs: readonly string[];
}

export const NULL: ResultType = { kind: 'null' };
export const UNKNOWN: ResultType = { kind: 'unknown' };

export function orNull(type: ResultType): ResultType {
  return { kind: 'oneOf', types: [type, NULL] };
}

/** A record, with the fields of it that a command reveals. */
export function recordType(modelCode: string, reveals: readonly string[]): ResultType {
  const ofModel = `${modelCode}.`;
  const revealed = reveals.filter((field) => field.startsWith(ofModel)).map((field) => field.slice(ofModel.length));
  return { kind: 'record', modelCode, revealed };
}

/** An object whose members everyone is answered. */
export function objectType(members: Readonly<Record<string, ResultType>>): ResultType {
  return { kind: 'object', members: Object.entries(members).map(([name, type]) => ({ name, type, needs: [] })) };
}
