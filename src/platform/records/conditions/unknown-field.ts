import { text, type Message } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import type { Model } from '../../metadata/models/model.ts';

/** The problem of a name that no field has, with the one that may be meant: none that only some may read. */
export function unknownField(model: Pick<Model, 'code' | 'fields'>, name: string): Message {
  const problem = text('is not a field of {model}', { model: model.code });
  // What a path leads to may be hidden.
  if (name.includes('.')) return problem;
  const known = [...model.fields.values()].flatMap(({ code, readPermission }) => (readPermission === null ? code : []));
  return withSuggestion(problem, name, known);
}
