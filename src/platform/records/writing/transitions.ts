import type { Actor } from '../../auth/requests/actor.ts';
import { conflict, type ApplicationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { statesAfter } from '../../metadata/field-types/transitions.ts';
import type { Model } from '../../metadata/models/model.ts';
import type { ColumnValues } from './payload.ts';
import type { RecordData } from '../reader/record-reader.ts';

/**
 * Holds a record's new values against the `transitions` of its fields. A value that stays is no transition.
 * @throws CONFLICT (STATE)
 */
export function checkTransitions(model: Model, actor: Actor, before: RecordData, values: ColumnValues): void {
  for (const [code, value] of values) {
    const field = model.fields.get(code)?.content;
    const state = before[code] ?? null;
    const allowed = field && value !== state ? statesAfter(field, state) : null;
    if (allowed !== null && !allowed.some((each) => each === value))
      throw wrongState(model, actor, code, state, { allowed });
  }
}

/**
 * The refusal of a write that the state of a record does not allow.
 * @param possible the values that may follow, or those that a command starts from
 */
export function wrongState(
  model: Model,
  { permissions }: Actor,
  field: string,
  state: unknown,
  possible: { readonly allowed: readonly string[] } | { readonly startsFrom: readonly string[] },
): ApplicationError {
  const { readPermission, content } = model.fields.get(field) ?? {};
  const isReadable = !readPermission || permissions.has(readPermission);
  const message = text('Its {label} does not allow this now', { label: content?.name ?? field });
  // Who may not read the field does not learn its value.
  return conflict('STATE', message, isReadable ? { field, state, ...possible } : { field });
}
