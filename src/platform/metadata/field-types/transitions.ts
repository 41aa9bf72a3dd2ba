import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import type { FieldOptions } from './field-options.ts';

type States = Pick<FieldOptions, 'values' | 'transitions'>;

/**
 * The values that a field of a record may change to; null where any is allowed. A record without a value may
 * get any, and a value that `transitions` does not name is final.
 */
export function statesAfter({ transitions }: States, state: unknown): readonly string[] | null {
  if (transitions === undefined || typeof state !== 'string') return null;
  return (Object.hasOwn(transitions, state) && transitions[state]) || [];
}

/** Path below the field -> what is wrong with its `transitions`. */
export function problemsOfTransitions({ values = [], transitions = {} }: States): [path: string, problem: Message][] {
  const problem = text('must be one of {values}', { values: values.join(', ') });
  return Object.entries(transitions).flatMap(([state, next]) => [
    ...(values.includes(state)
      ? []
      : [[`transitions.${state}`, withSuggestion(problem, state, values)] as [string, Message]]),
    ...next.flatMap((value, index): [string, Message][] =>
      values.includes(value) ? [] : [[`transitions.${state}.${index}`, withSuggestion(problem, value, values)]],
    ),
  ]);
}
