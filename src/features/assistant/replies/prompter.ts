import { authorise, type Actor } from '../../../platform/auth/requests/actor.ts';
import { permissionCode } from '../../../platform/metadata/permissions/permission-codes.ts';
import { ASSISTANT } from '../assistant-type.ts';
import { DEFAULT_MAX_TURNS, MAX_TEXT } from '../assistant.limits.ts';
import {
  ProviderFailure,
  providerUnavailable,
  providerFor,
  replyTooLong,
  type Provider,
  type Providers,
  type Turn,
} from '../providers/provider.ts';
import type { ToolRunner } from '../tools/tool-runner.ts';
import { toolboxOf } from '../tools/toolbox.ts';
import { numberCalls, type Step, type ToolCall } from '../tools/step.ts';
import { automationPrompt } from './system-prompt.ts';

export interface PromptAnswer {
  /** The text after the last tool. */
  readonly text: string;
  /** Names of the tools used, in order. */
  readonly tools: readonly string[];
}

/**
 * Answers one prompt of an automation, without a conversation or a stream. No person can confirm a command,
 * so only tools that read are offered.
 */
export class Prompter {
  readonly #tools: ToolRunner;
  readonly #providers: Providers;

  constructor(tools: ToolRunner, providers: Providers) {
    this.#tools = tools;
    this.#providers = providers;
  }

  /**
   * @throws FORBIDDEN; NOT_FOUND; ProviderFailure; SERVICE_UNAVAILABLE for a transient error; the reason of
   * an abort
   */
  async answer(actor: Actor, code: string, prompt: string, signal: AbortSignal): Promise<PromptAnswer> {
    authorise(actor, permissionCode.assistantUse(code));
    const assistant = actor.metadata.get(ASSISTANT, code);
    const { model = null, maxTurns = DEFAULT_MAX_TURNS } = assistant;
    const toolbox = toolboxOf(actor, assistant, false);
    const system = automationPrompt(assistant, toolbox, new Date());
    const messages = [{ role: 'user', text: prompt }] as const;
    const provider = providerFor(assistant, this.#providers);
    const steps: Step[] = [];
    const used: string[] = [];
    for (let turns = 0; ; turns += 1) {
      const isLast = turns >= maxTurns;
      const turn = { system, messages, steps, partial: '', toolbox: isLast ? null : toolbox, model, signal };
      const { text, calls } = await runTurn(provider, turn);
      if (calls.length === 0 || isLast) {
        if (text.trim() === '') throw new ProviderFailure(providerUnavailable());
        return { text: text.trim(), tools: used };
      }
      const numbered = numberCalls(calls, turns);
      steps.push({ kind: 'calls', text, calls: numbered });
      for (const call of numbered) {
        signal.throwIfAborted();
        steps.push({ kind: 'result', callId: call.id, result: await this.#tools.run(actor, assistant, call) });
        used.push(call.name);
      }
    }
  }
}

async function runTurn(provider: Provider, turn: Turn): Promise<{ text: string; calls: Omit<ToolCall, 'id'>[] }> {
  const calls: Omit<ToolCall, 'id'>[] = [];
  let text = '';
  for await (const chunk of provider.complete(turn)) {
    turn.signal.throwIfAborted();
    if (chunk.kind === 'call') calls.push(chunk.call);
    else text += chunk.text;
    if (text.length > MAX_TEXT) throw new ProviderFailure(replyTooLong());
  }
  return { text, calls };
}
