import { DIALECT } from '../../../foundation/validation/json-schema.ts';
import { withCommonKeys } from './common-content.ts';
import { KEY_DESCRIPTIONS, REFERENCE_KEYS } from './key-descriptions.ts';
import type { ResourceType } from './resource-type.ts';

/** Codes of the resources of a type, which editors offer. */
export type CodesOf = (resourceType: string) => Iterable<string>;

/** JSON Schema of a resource's file, for editors: it stands alone, describes keys and offers codes. */
export function fileSchemaOf({ name, codePattern, schema, schemas = [] }: ResourceType, codesOf: CodesOf): object {
  const forEditors = new EditorSchema(name, codesOf);
  return {
    $schema: DIALECT,
    title: name,
    type: 'object',
    additionalProperties: false,
    required: ['resourceType', 'code', 'content'],
    properties: {
      resourceType: { const: name, description: 'The type of the resource' },
      code: { type: 'string', pattern: codePattern, description: 'The name of the resource, one in its type' },
      content: forEditors.of(withCommonKeys(schema)),
    },
    $defs: Object.fromEntries(
      schemas.map((one) => {
        const { $id, ...rest } = one as { $id: string };
        return [$id, forEditors.of(rest, $id)];
      }),
    ),
  };
}

class EditorSchema {
  readonly #type: string;
  readonly #codesOf: CodesOf;

  constructor(type: string, codesOf: CodesOf) {
    this.#type = type;
    this.#codesOf = codesOf;
  }

  /** @param id the `$id` of the schema, to which references from its root turn */
  of(schema: unknown, id?: string): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.of(one, id));
    if (typeof schema !== 'object' || schema === null) return schema;
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]: [string, unknown]) => {
        if (keyword === '$ref') return [keyword, referenceTo(value as string, id)];
        if (keyword === 'properties') return [keyword, this.#properties(value as Record<string, unknown>, id)];
        return [keyword, ['const', 'enum', 'default'].includes(keyword) ? value : this.of(value, id)];
      }),
    );
  }

  #properties(properties: Readonly<Record<string, unknown>>, id: string | undefined) {
    return Object.fromEntries(
      Object.entries(properties).map(([key, schema]) => {
        const known = this.of(schema, id) as { description?: string; type?: string };
        const description = known.description ?? this.#byKey(KEY_DESCRIPTIONS, key);
        const codes = known.type === 'string' ? this.#codes(key) : [];
        const offered = codes.length > 0 ? { anyOf: [{ enum: codes }, known] } : known;
        return [key, description === undefined ? offered : { ...offered, description }];
      }),
    );
  }

  #codes(key: string): string[] {
    const type = this.#byKey(REFERENCE_KEYS, key);
    return type === undefined ? [] : [...this.#codesOf(type)].sort();
  }

  #byKey(table: Readonly<Record<string, string>>, key: string): string | undefined {
    const own = `${this.#type}.${key}`;
    if (Object.hasOwn(table, own)) return table[own];
    return Object.hasOwn(table, key) ? table[key] : undefined;
  }
}

/** A reference to a schema by its `$id`, or to a part of the schema itself. */
function referenceTo(target: string, id: string | undefined): string {
  if (target.startsWith('#')) return `#/$defs/${id ?? ''}${target.slice(1)}`;
  return `#/$defs/${target}`;
}
