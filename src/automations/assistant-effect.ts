import { MAX_REMEMBERED } from '../assistant/answer-limits.ts';
import type { Prompter } from '../assistant/prompter.ts';
import { ProviderFailure } from '../assistant/provider.ts';
import type { Actor } from '../auth/actor.ts';
import { validationError } from '../errors/application-error.ts';
import type { ExpressionContext } from '../expressions/language.ts';
import type { Logger } from '../logging/logger.ts';
import type { AssistantStep } from '../metadata/automation-content.ts';
import { evaluate } from './run-context.ts';
import { failedWith, type StepOutcome } from './step-outcome.ts';

/**
 * Has an assistant answer a prompt, as whom the run acts. What a run does it says in steps of its own: the assistant reads, and
 * a command is not offered to it. A worker that dies leaves the question to be asked again.
 */
export async function askAssistant(
  prompter: Prompter,
  step: AssistantStep,
  context: ExpressionContext,
  actor: Actor,
  key: string,
  signal: AbortSignal,
  logger: Logger,
): Promise<StepOutcome> {
  const prompt = evaluate(step.prompt, context, `${key}.prompt`);
  if (typeof prompt !== 'string') throw validationError({ [`${key}.prompt`]: 'is not a text' });
  if (prompt.trim() === '') throw validationError({ [`${key}.prompt`]: 'is required' });
  if (prompt.length > MAX_REMEMBERED) {
    throw validationError({ [`${key}.prompt`]: `must not be longer than ${MAX_REMEMBERED} characters` });
  }
  try {
    const { text, tools } = await prompter.answer(actor, step.assistant, prompt, signal);
    return { kind: 'done', output: { text, json: jsonIn(text), tools } };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.warn({ err: error.cause ?? error, step: key }, 'the AI provider failed');
    // Not a fault of ours, which would use up none of the step's attempts.
    return failedWith(error.error);
  }
}

/** A text that is JSON, bare or within the fence that models put around it; null for any other. */
function jsonIn(text: string): unknown {
  const [, fenced = text] = /^```(?:json)?\s*\n([^]*?)\n?```$/.exec(text) ?? [];
  try {
    return JSON.parse(fenced) as unknown;
  } catch {
    return null;
  }
}
