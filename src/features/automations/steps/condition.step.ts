import { Type, type Static } from 'typebox';
import { conflict } from '../../../foundation/errors/application-error.ts';
import { CONDITION } from '../../../platform/metadata/content/schema-parts.ts';
import { STOPPED, type ControlStepKind } from './step-kind.ts';
import { controlSchema } from './step-schema.ts';
import { quoted } from '../../../foundation/i18n/text.ts';

const schema = controlSchema('condition', {
  assert: CONDITION,
  /**
   * Where `assert` is false, the run ends well (`stop`, default; in a for-each, the item does), or it fails.
   */
  otherwise: Type.Optional(Type.Enum(['stop', 'fail'])),
  message: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
});

/** Goes on only where an expression is true. */
export const conditionStep: ControlStepKind<Static<typeof schema>> = {
  schema,
  outputType: () => ({ fields: { holds: 'boolean' } }),
  outputOrigin: () => ({}),
  begin({ assert, otherwise, message }, { expressions }) {
    const holds = expressions.holds(assert, 'assert');
    if (!holds && otherwise === 'fail')
      throw conflict('CONDITION', message === undefined ? 'A condition does not hold' : quoted(message));
    return { status: 'SUCCEEDED', control: holds ? null : STOPPED, output: { holds } };
  },
};
