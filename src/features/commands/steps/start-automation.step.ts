import { Type, type Static } from 'typebox';
import { notFound, throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { withMembers } from '../../../foundation/expressions/value-origin.ts';
import { authorize } from '../../../platform/auth/requests/actor.ts';
import { mapOf } from '../../../foundation/validation/schema.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { EXPRESSION, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import { checkDeclaredFields } from '../../../platform/metadata/field-types/field-value.ts';
import { problemOfFit } from '../../../platform/metadata/models/value-fit.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { toResource, type ResourceType } from '../../../platform/metadata/resources/resource-type.ts';
import { objectType } from './result-type.ts';
import { atStep, checkSize, expressionsIn, stepSchema, type NamedStepKind } from './command-step.ts';

/** Commands may not import automations, which execute commands: they know the type's name and its input. */
const AUTOMATION = { name: 'AUTOMATION' } as ResourceType<
  never,
  { readonly content: { readonly input?: readonly FieldContent[] } }
>;

const schema = stepSchema('startAutomation', {
  automationCode: IDENTIFIER,
  input: Type.Optional(mapOf(EXPRESSION, { maxProperties: 500 })),
});

/**
 * Starts a run of an automation with the caller's rights. It begins after the commit, with the command's
 * event.
 */
export const startAutomationStep: NamedStepKind<Static<typeof schema>> = {
  schema,
  isAnswered: true,
  expressions: ({ input }) => expressionsIn('input', input),
  references: ({ automationCode }, at) => [toResource(`${at}.automationCode`, AUTOMATION, automationCode)],
  problems({ automationCode, input = {} }, { after, check }) {
    const problems: FieldErrors = {};
    const automation = after.find(AUTOMATION, automationCode);
    if (!automation) return problems;
    const fields = new Map(automation.content.input?.map((field) => [field.code, field]));
    for (const [code, source] of Object.entries(input)) {
      const field = fields.get(code);
      const problem = field
        ? problemOfFit(field, source, check)
        : withSuggestion('is not an input of this automation', code, fields.keys());
      if (problem) problems[`input.${code}`] = problem;
    }
    for (const { code, required, default: fallback } of fields.values()) {
      if (required && fallback === undefined && !Object.hasOwn(input, code)) problems[`input.${code}`] = 'is required';
    }
    return problems;
  },
  outputType: () => ({ fields: { runPid: 'text' } }),
  outputOrigin: () => ({}),
  resultType: () => objectType({ runPid: { kind: 'text' } }),
  async run({ id, automationCode, input: mapping = {} }, { actor, writer, evaluateAll, originOf }) {
    authorize(actor, permissionCode.automationRun(automationCode));
    const automation = actor.metadata.find(AUTOMATION, automationCode);
    if (!automation) throw notFound('There is no such automation');
    const given = await evaluateAll(mapping, 'input');
    const errors: FieldErrors = {};
    const { input: fields = [] } = automation.content;
    const input = checkDeclaredFields(fields, given, 'is not an input of this automation', errors);
    throwIfInvalid(atStep(id, errors));
    checkSize(`${id}.input`, input);
    const origin = withMembers(Object.entries(mapping).map(([code, source]) => [code, originOf(source)]));
    const output = { runPid: writer.start({ stepId: id, automationCode, input, origin }) };
    return { output, read: output };
  },
};
