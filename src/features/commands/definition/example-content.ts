import { Type, type Static } from 'typebox';
import { VERSION } from '../../../foundation/validation/schema.ts';
import { closedObject, IDENTIFIER, NAME } from '../../../platform/metadata/content/schema-parts.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { MAX_EXAMPLES, MAX_GIVEN } from '../commands.limits.ts';

const VALUES = Type.Record(Type.String(), Type.Unknown());

const GIVEN = closedObject({
  id: Type.String({ ...IDENTIFIER, description: '`$given.<id>` is the pid of the record' }),
  modelCode: IDENTIFIER,
  values: VALUES,
});

const EXPECTED_ERROR = closedObject({
  code: Type.String({ pattern: '^[A-Z][A-Z_]{0,63}$' }),
  reason: Type.Optional(Type.String({ maxLength: 64, description: '`data.reason`' })),
  field: Type.Optional(Type.String({ maxLength: 200, description: 'A key of `data.fieldErrors`' })),
});

/** An example of what a command does. It is tried in a tenant that has nothing but the records it gives. */
const EXAMPLE = (operations: readonly string[]) =>
  closedObject({
    name: NAME,
    given: Type.Optional(
      Type.Array(GIVEN, { maxItems: MAX_GIVEN, description: 'Records that are there before; nothing else is' }),
    ),
    as: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The role of the caller; `ADMIN` by default' }),
    ),
    operationType: Type.Optional(Type.Enum([...operations])),
    targetRecordId: Type.Optional(Type.String({ maxLength: 64, description: '`$given.<id>`' })),
    matchOn: Type.Optional(Type.Array(IDENTIFIER, { minItems: 1, maxItems: 20 })),
    expectedVersion: Type.Optional(VERSION),
    payload: Type.Optional({ ...VALUES, description: 'As in a request; `$given.<id>` is a pid' }),
    expect: closedObject(
      {
        result: Type.Optional(Type.Unknown({ description: 'What the result holds at least' })),
        changes: Type.Optional(
          Type.Array(VALUES, {
            maxItems: 100,
            description: 'In order, at least: `{modelCode, action, before, after}` of each record that is written',
          }),
        ),
        error: Type.Optional(EXPECTED_ERROR),
      },
      { minProperties: 1 },
    ),
  });

export const EXAMPLES = (operations: readonly string[]) => Type.Array(EXAMPLE(operations), { maxItems: MAX_EXAMPLES });

export type ExampleContent = Static<ReturnType<typeof EXAMPLE>>;

const GIVEN_NAME = /^\$given\.(.*)$/;

/** The id in `$given.<id>`; null for any other text. */
export function givenIn(text: string): string | null {
  return GIVEN_NAME.exec(text)?.[1] ?? null;
}

/** Problems of examples by themselves: path -> problem. */
export function problemsOfExamples(examples: readonly ExampleContent[] = []): FieldErrors {
  const problems: FieldErrors = {};
  const names = examples.map(({ name }) => name);
  for (const [index, example] of examples.entries()) {
    const at = `content.examples.${index}`;
    if (names.indexOf(example.name) !== index) problems[`${at}.name`] = 'is used by two examples';
    const { error, result, changes } = example.expect;
    if (error && (result !== undefined || changes)) problems[`${at}.expect.error`] = 'stands alone';
    const ids = new Set<string>();
    for (const [place, { id, values }] of (example.given ?? []).entries()) {
      if (ids.has(id)) problems[`${at}.given.${place}.id`] = 'is used by two records';
      if (!knowsAll(values, ids)) problems[`${at}.given.${place}.values`] = 'names a record that is not given before';
      ids.add(id);
    }
    for (const key of ['targetRecordId', 'payload'] as const) {
      if (!knowsAll(example[key], ids)) problems[`${at}.${key}`] = 'names a record that is not given before';
    }
  }
  return problems;
}

/** Whether all records that a value names are among these. */
function knowsAll(value: unknown, ids: ReadonlySet<string>): boolean {
  if (typeof value === 'string') {
    const id = givenIn(value);
    return id === null || ids.has(id);
  }
  return typeof value !== 'object' || value === null || Object.values(value).every((part) => knowsAll(part, ids));
}
