import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { toModel as toModelReference, type Reference } from '../resources/resource-type.ts';
import { type Model, problemOfPayloadKey, RESERVED_FIELD_CODES } from './model.ts';
import type { ManyToManyContent, ModelContent } from './model-content.ts';

/** The model and the fields through which relations of a model lead. */
export function referencesOfRelations({ relations = [] }: ModelContent): Reference[] {
  return relations.flatMap(({ through, from, to }, index) => [
    toModelReference(`relations.${index}.through`, through),
    toModelReference(`relations.${index}.from`, through, from),
    toModelReference(`relations.${index}.to`, through, to),
  ]);
}

/** Problems of a model's relations by themselves: path -> problem. */
export function problemsOfRelations({ fields, relations = [] }: ModelContent): FieldErrors {
  const problems: FieldErrors = {};
  const taken = new Set([...fields.map(({ code }) => code), ...RESERVED_FIELD_CODES]);
  relations.forEach(({ code, from, to }, index) => {
    const at = `content.relations.${index}.code`;
    if (taken.has(code)) problems[at] = 'is the code of a field or of another relation';
    const ofKey = problemOfPayloadKey(code);
    if (ofKey !== null) problems[at] = ofKey;
    if (from === to) problems[`content.relations.${index}.to`] = 'is the field that names this model';
    taken.add(code);
  });
  return problems;
}

/** Problems of them beside the models that join: path -> problem. A field that is missing dangles. */
export function problemsOfJoins(code: string, { relations = [] }: ModelContent, models: Models): FieldErrors {
  const problems: FieldErrors = {};
  relations.forEach(({ through, from, to }, index) => {
    const fields = models.get(through)?.fields;
    const problem = text('is not a relation of {model} to {target}', { model: through, target: code });
    if (fields?.has(from) && fields.get(from)?.content?.target !== code)
      problems[`content.relations.${index}.from`] = problem;
    const far = fields?.get(to);
    if (far && far.content?.target === undefined)
      problems[`content.relations.${index}.to`] = text('is not a relation of {model}', { model: through });
  });
  return problems;
}

type Models = ReadonlyMap<string, Pick<Model, 'fields'>>;

/** The model at the other end; undefined where the configuration lacks it. */
export function targetOf<Found extends Pick<Model, 'fields'>>(
  { through, to }: ManyToManyContent,
  models: ReadonlyMap<string, Found>,
): Found | undefined {
  return models.get(models.get(through)?.fields.get(to)?.content?.target ?? '');
}
