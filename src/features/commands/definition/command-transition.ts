import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { statesAfter } from '../../../platform/metadata/field-types/transitions.ts';
import { MODEL } from '../../../platform/metadata/models/model-type.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { Configuration } from '../../../platform/metadata/resources/resource-type.ts';
import type { ColumnValues } from '../../../platform/records/writing/payload.ts';
import type { RecordData } from '../../../platform/records/reader/record-reader.ts';
import { wrongState } from '../../../platform/records/writing/transitions.ts';
import type { CommandContent } from './command-content.ts';

/** @throws CONFLICT (STATE) where a command's target is in none of the states that it starts from */
export function requireState({ transition }: CommandContent, model: Model, actor: Actor, record: RecordData): void {
  if (!transition) return;
  const { field, from } = transition;
  const state = record[field] ?? null;
  if (!from.some((each) => each === state)) throw wrongState(model, actor, field, state, { startsFrom: from });
}

/** The value that the command gives its target. */
export function stateChange({ transition }: CommandContent): ColumnValues {
  return new Map(transition ? [[transition.field, transition.to]] : []);
}

/** Problems of a command's `transition` by itself: path -> problem. */
export function problemsOfTransition({ transition, operations, target = false }: CommandContent): FieldErrors {
  if (!transition || (operations.length === 1 && (operations[0] === 'UPDATE' || target))) return {};
  return { 'content.transition': 'is for commands that only update, and for CUSTOM commands with a target' };
}

/** Problems of a `transition` beside its model: path -> problem. */
export function problemsWithStates({ transition, modelCode }: CommandContent, after: Configuration): FieldErrors {
  const field = transition && after.find(MODEL, modelCode)?.fields.get(transition.field)?.content;
  if (!transition || !field) return {};
  if (field.type !== 'enum') return { 'content.transition.field': text('is not of type {type}', { type: 'enum' }) };
  const problems: FieldErrors = {};
  const { values = [] } = field;
  const unknown = text('must be one of {values}', { values: values.join(', ') });
  const leadsSomewhere = values.includes(transition.to);
  if (!leadsSomewhere) problems['content.transition.to'] = withSuggestion(unknown, transition.to, values);
  for (const [index, state] of transition.from.entries()) {
    const path = `content.transition.from.${index}`;
    if (!values.includes(state)) problems[path] = withSuggestion(unknown, state, values);
    else if (
      leadsSomewhere &&
      state !== transition.to &&
      statesAfter(field, state)?.includes(transition.to) === false
    ) {
      problems[path] = text('the field does not change from {from} to {to}', { from: state, to: transition.to });
    }
  }
  return problems;
}
