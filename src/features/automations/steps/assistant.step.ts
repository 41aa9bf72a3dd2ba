import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { isLongerThan } from '../../../foundation/validation/text-length.ts';
import { ANSWER_JSON, jsonIn } from '../../../foundation/validation/json-text.ts';
import { type ActivityStepKind, failedWith } from './step-kind.ts';
import { activitySchema, toAssistant } from './step-schema.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { Type, type Static } from 'typebox';
import { EXPRESSION } from '../../../platform/metadata/content/schema-parts.ts';
import { problemOfFit, WANTED } from '../../../platform/metadata/models/value-fit.ts';
import { ProviderFailure } from '../../assistant/providers/provider.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { MAX_REMEMBERED } from '../../assistant/assistant.limits.ts';
import type { StepExpressions } from './step-expressions.ts';

const schema = activitySchema('assistant', {
  assistant: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
  prompt: EXPRESSION,
});

/**
 * Has an assistant answer a prompt with the rights of the run. The assistant only reads: commands of a run
 * are steps of their own. The prompt is sent again when a worker dies before the answer is stored.
 */
export const assistantStep: ActivityStepKind<Static<typeof schema>> = {
  schema,
  defaultTimeoutSeconds: 300,
  references: ({ assistant }) => toAssistant('assistant', assistant),
  outputType: () => ({ fields: { text: 'text', json: 'any', tools: 'any' } }),
  permissionsNeeded: ({ assistant }) => [['assistant', permissionCode.assistantUse(assistant)]],
  problemsAmong({ prompt }, _after, check): FieldErrors {
    const problem = problemOfFit(WANTED.text, prompt, check);
    return problem ? { prompt: problem } : {};
  },

  async execute(step, { key, expressions, actor, signal }, { prompter, logger }) {
    const prompt = promptOf(step.prompt, expressions);
    try {
      const { text: answer, tools } = await prompter.answer(actor, step.assistant, prompt, signal);
      return { kind: 'done', output: { text: answer, json: valueIn(answer), tools } };
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      logger.warn({ err: error.cause ?? error, step: key }, 'the AI provider failed');
      // Uses up an attempt, unlike a transient fault of the platform.
      return failedWith(error.error);
    }
  },
};

function promptOf(source: string, expressions: StepExpressions): string {
  const prompt = expressions.text(source, 'prompt');
  if (prompt.trim() === '') throw expressions.problem('prompt', 'is required');
  if (!isLongerThan(prompt, MAX_REMEMBERED)) return prompt;
  throw expressions.problem('prompt', text('must not be longer than {max} characters', { max: MAX_REMEMBERED }));
}

/** The value of a text that is JSON, bare or in a Markdown code fence; null for any other. */
function valueIn(answer: string): unknown {
  const [, fenced = answer] = /^```(?:json)?\s*\n([^]*?)\n?```$/.exec(answer) ?? [];
  return jsonIn(fenced, ANSWER_JSON) ?? null;
}
