import { Type } from 'typebox';

/** A field with an operator and a value. */
export interface Comparison {
  fieldName: string;
  operator: string;
  value?: unknown;
}

/** A condition of a filter, or a combination of them. Spec: "Filter condition". */
export type FilterContent = Comparison | { and: FilterContent[] } | { or: FilterContent[] } | { not: FilterContent };

/** Schema of one condition. It refers to itself by its `$id`, as other schemas do. */
export const FILTER_SCHEMA = {
  $id: 'filter',
  type: 'object',
  anyOf: [
    {
      additionalProperties: false,
      required: ['fieldName', 'operator'],
      properties: { fieldName: { type: 'string' }, operator: { type: 'string' }, value: {} },
    },
    { additionalProperties: false, required: ['and'], properties: { and: { $ref: '#/$defs/filters' } } },
    { additionalProperties: false, required: ['or'], properties: { or: { $ref: '#/$defs/filters' } } },
    { additionalProperties: false, required: ['not'], properties: { not: { $ref: 'filter' } } },
  ],
  $defs: { filters: { type: 'array', minItems: 1, items: { $ref: 'filter' } } },
} as const;

/** Conditions joined by AND. A resource type that uses them names `FILTER_SCHEMA` among its `schemas`. */
export const FILTERS = Type.Array(Type.Unsafe<FilterContent>({ $ref: FILTER_SCHEMA.$id }), { maxItems: 100 });
