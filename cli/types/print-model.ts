import { FIELD_TYPES } from '../../src/platform/metadata/field-types/field-types.ts';
import { targetOf } from '../../src/platform/metadata/models/many-to-many.ts';
import { writableFields, type Field, type Model } from '../../src/platform/metadata/models/model.ts';
import { payloadMembers, readType } from './field-type.ts';
import { objectType, sorted, textLiteral, unionOf, type Member } from './source-text.ts';

/** Code of a model -> its relations to many, as `expand` names them -> the model that they lead to. */
export type Referrers = ReadonlyMap<string, readonly (readonly [path: string, model: string])[]>;

export function referrersIn(models: ReadonlyMap<string, Model>): Referrers {
  const joined = [...models.values()].flatMap((model) =>
    [...model.relations.values()].flatMap((relation) => {
      const far = targetOf(relation, models);
      return far ? [{ target: model.code, path: relation.code, model: far.code }] : [];
    }),
  );
  const found = [...models.values()].flatMap((model) =>
    [...model.fields.values()].flatMap(({ code, content }) =>
      content?.target === undefined
        ? []
        : [{ target: content.target, path: `${model.code}.${code}`, model: model.code }],
    ),
  );
  const byTarget = Map.groupBy([...found, ...joined], ({ target }) => target);
  return new Map([...byTarget].map(([target, own]) => [target, own.map(({ path, model }) => [path, model] as const)]));
}

/** The entry of a model in `Models`. */
export function printModel(model: Model, referrers: Referrers): string {
  const { code, fields } = model;
  const all = sorted(fields);
  const own = all.flatMap(([name, { content, readPermission }]) =>
    content ? [{ name, content, isMasked: readPermission !== null }] : [],
  );
  const record = own.map(({ name, content, isMasked }) => ({ name, type: readType(content), optional: isMasked }));
  const relations = own.flatMap(({ name, content: { target } }) =>
    target === undefined ? [] : [[name, target] as const],
  );
  const people = own.filter(({ content: { type } }) => type === 'user').map(({ name }) => textLiteral(name));
  const masked = own.filter(({ isMasked }) => isMasked).map(({ name }) => textLiteral(name));
  return objectType([
    { name: 'record', type: `SystemFields<${textLiteral(code)}> & ${objectType(record)}` },
    { name: 'create', type: objectType(payloadMembers(writableFields(model)), 'NoFields') },
    { name: 'update', type: `Partial<Models[${textLiteral(code)}]['create']>` },
    { name: 'filterable', type: namesOf(all, () => true) },
    { name: 'sortable', type: namesOf(all, ({ type }) => FIELD_TYPES[type].comparable) },
    { name: 'masked', type: unionOf(masked) },
    { name: 'people', type: unionOf(people) },
    { name: 'relations', type: objectType(relations.map(toModel)) },
    { name: 'referrers', type: objectType(sorted(referrers.get(code) ?? []).map(toModel)) },
  ]);
}

/** The fields that every record has go by one name. */
function namesOf(fields: readonly (readonly [string, Field])[], isWanted: (field: Field) => boolean): string {
  const own = fields.filter(([, field]) => field.content !== null && isWanted(field));
  return unionOf(['SystemField', ...own.map(([name]) => textLiteral(name))]);
}

function toModel([name, model]: readonly [string, string]): Member {
  return { name, type: textLiteral(model) };
}
