import type { ComponentType } from 'react';
import type { Field, RecordData } from '../../app/application.ts';
import type { ControlTies } from '../../ui/Labelled.tsx';

export interface CellProps {
  readonly field: Field;
  readonly value: unknown;
  /** Has what relations lead to under `expanded`. */
  readonly record: RecordData;
}

/** A command or an automation that declares fields of its own. */
export interface Declarer {
  readonly kind: 'command' | 'automation';
  readonly code: string;
  readonly list?: string;
}

export interface EditorProps {
  readonly field: Field;
  /** As a payload has it; null where there is none. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly ties: ControlTies;
  /** The page that offers what can be chosen. */
  readonly pageKey: string;
  /** What does so in its place: it declares the field, in the items of `list` if named. */
  readonly declaredBy?: Declarer | undefined;
  /** The record that is changed, if there is one. */
  readonly record: RecordData | null;
}

/** How a type of fields is shown and changed. */
export interface FieldKind {
  readonly Cell: ComponentType<CellProps>;
  readonly Editor: ComponentType<EditorProps>;
  /** In pixels, where neither the page nor the user says: at least, and at most, where there is room. */
  readonly width: number;
  readonly widest?: number;
  readonly isNumeric?: boolean;
  /** A value alone does not say what it is. */
  readonly needsName?: boolean;
  /** Takes a line of a form for itself. */
  readonly isWide?: boolean;
  /** The value that a text of a spreadsheet stands for; null: none does. Absent: the text itself. */
  readonly fromText?: ((text: string, field: Field) => unknown) | null;
  /** Values are records or people, and are looked up by what they are called. */
  readonly isChosen?: boolean;
  /** A value as a text: for titles, and for comparisons. */
  readonly toText?: (value: unknown, field: Field) => string;
}

/** Any value as a text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
