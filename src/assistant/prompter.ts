import { authorise, type Actor } from '../auth/actor.ts';
import { unavailable } from '../errors/application-error.ts';
import { permissionCode } from '../metadata/permission-codes.ts';
import { DEFAULT_MAX_TURNS, MAX_CALLS_PER_TURN, MAX_TEXT } from './answer-limits.ts';
import { ProviderFailure, providerFor, tooLong, type Provider, type Providers, type Turn } from './provider.ts';
import type { Step, ToolCall } from './step.ts';
import { promptOfAutomation } from './system-prompt.ts';
import type { ToolRunner } from './tool-runner.ts';
import { toolboxOf } from './toolbox.ts';

export interface PromptAnswer {
  /** What was said last, after all tools. */
  readonly text: string;
  /** The tools that were used, in their order. */
  readonly tools: readonly string[];
}

/**
 * Has an assistant answer one prompt that no person has written, and whose answer no person reads as it comes: there is no
 * conversation, no stream, and nobody who could agree to a command. So it gets the tools that read, and no other.
 */
export class Prompter {
  readonly #tools: ToolRunner;
  readonly #providers: Providers;

  constructor(tools: ToolRunner, providers: Providers) {
    this.#tools = tools;
    this.#providers = providers;
  }

  /** @throws FORBIDDEN, NOT_FOUND; ProviderFailure; SERVICE_UNAVAILABLE, a passing fault of ours; what aborting throws */
  async answer(actor: Actor, code: string, prompt: string, signal: AbortSignal): Promise<PromptAnswer> {
    authorise(actor, permissionCode.assistantUse(code));
    const assistant = actor.metadata.assistant(code);
    const { model = null, maxTurns = DEFAULT_MAX_TURNS } = assistant;
    const toolbox = toolboxOf(actor, assistant, false);
    const system = promptOfAutomation(assistant, toolbox, new Date());
    const said = [{ role: 'user', text: prompt }] as const;
    const provider = providerFor(assistant, this.#providers);
    const steps: Step[] = [];
    const used: string[] = [];
    for (let turns = 0; ; turns += 1) {
      const isLast = turns >= maxTurns;
      const turn = { system, said, steps, partial: '', toolbox: isLast ? null : toolbox, model, signal };
      const { text, calls } = await speak(provider, turn);
      if (calls.length === 0 || isLast) {
        if (text.trim() === '') throw new ProviderFailure(unavailable('The AI provider'));
        return { text: text.trim(), tools: used };
      }
      const named = calls
        .slice(0, MAX_CALLS_PER_TURN)
        .map((call, index) => ({ id: `call_${turns}_${index}`, ...call }));
      steps.push({ kind: 'calls', text, calls: named });
      for (const call of named) {
        signal.throwIfAborted();
        steps.push({ kind: 'result', callId: call.id, result: await this.#tools.run(actor, assistant, call) });
        used.push(call.name);
      }
    }
  }
}

async function speak(provider: Provider, turn: Turn): Promise<{ text: string; calls: Omit<ToolCall, 'id'>[] }> {
  const calls: Omit<ToolCall, 'id'>[] = [];
  let text = '';
  for await (const piece of provider.answer(turn)) {
    turn.signal.throwIfAborted();
    if (piece.kind === 'call') calls.push(piece.call);
    else text += piece.text;
    if (text.length > MAX_TEXT) throw new ProviderFailure(tooLong());
  }
  return { text, calls };
}
