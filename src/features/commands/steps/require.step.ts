import { Type, type Static } from 'typebox';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { withMembers } from '../../../foundation/expressions/value-origin.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { CONDITION } from '../../../platform/metadata/content/schema-parts.ts';
import { objectType } from './result-type.ts';
import { stepSchema, type NamedStepKind } from './command-step.ts';
import { REASON } from '../../../platform/metadata/models/rule-content.ts';
import { refused } from '../../../platform/records/writing/record-checks.ts';

const schema = stepSchema('require', {
  assert: CONDITION,
  message: Type.String({ minLength: 1, maxLength: 500 }),
  reason: Type.Optional(REASON),
  status: Type.Optional(
    Type.Union([Type.Literal(409), Type.Literal(400)], {
      description: '409 with `data.reason` (default), or 400 at `fields`',
    }),
  ),
  fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description: 'The fields of the payload that a 400 is shown at; `payload` by default',
    }),
  ),
});

/** Undoes the command unless a condition holds, which may read what the steps before have given. */
export const requireStep: NamedStepKind<Static<typeof schema>> = {
  schema,
  isAnswered: false,
  conditions: ({ assert }) => [['assert', assert]],
  expressions: () => [],
  problems({ status = 409, reason, fields }): FieldErrors {
    if (status === 409) return fields ? { fields: text('is for status {status}', { status: 400 }) } : {};
    return reason === undefined ? {} : { reason: text('is for status {status}', { status: 409 }) };
  },
  reason: ({ reason }) => reason,
  outputType: () => ({ fields: {} }),
  outputOrigin: () => withMembers([]),
  resultType: () => objectType({}),
  async run({ assert, message, status = 409, reason = 'STATE', fields = ['payload'] }, { holds }) {
    if (!holds(assert, 'assert')) throw refused(message, status === 409 ? { reason } : { fields });
    return { output: null, read: {} };
  },
};
