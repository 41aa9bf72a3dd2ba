import { FILTER_SCHEMA } from '../content/filter-content.ts';
import { IDENTIFIER_PATTERN } from '../content/schema-parts.ts';
import { toModel as toModelReference, type ResourceType } from '../resources/resource-type.ts';
import { problemsOfFields } from './declared-fields.ts';
import { keysOfValues } from './enum-options.ts';
import { problemsOfJoins, problemsOfRelations, referencesOfRelations } from './many-to-many.ts';
import { permissionCode } from '../permissions/permission-codes.ts';
import { problemsOfRules, warningsOfDisplayField } from './model-rules.ts';
import { MODEL_SCHEMA, type ModelContent } from './model-content.ts';
import { isComputed, toModel, type Model } from './model.ts';
import { fieldsOfCheck } from './record-checks.ts';
import { warningsOfWidth } from './tables/row-width.ts';

/** Models: tables of records. Their tables follow by `publishModels`, which checks of files do without. */
export const MODEL: ResourceType<ModelContent, Model> = {
  name: 'MODEL',
  codePattern: IDENTIFIER_PATTERN,
  schema: MODEL_SCHEMA,
  schemas: [FILTER_SCHEMA],
  notFound: 'There is no such model',
  unknownCode: '{code} is not a model',
  problemOfRename: 'a model keeps its code: its table, its records and their history are named after it',
  keep: ({ code, content }, environment) => toModel(environment, code, content),
  validate: (content) => ({
    ...problemsOfFields(content.fields, 'fields'),
    ...problemsOfRelations(content),
    ...problemsOfRules(content),
  }),
  warnings: (content) => ({ ...warningsOfWidth(content), ...warningsOfDisplayField(content) }),
  textKeys: (code, { fields }) => keysOfValues(code, fields),
  reasons: ({ checks = [] }) => checks.flatMap(({ reason = [] }) => reason),
  // Who reads the field sees what it is computed from.
  valuesShown: ({ fields }, code) =>
    fields.flatMap((field, index) =>
      isComputed(field)
        ? [
            {
              path: `content.fields.${index}.computed`,
              field: `${code}.${field.code}`,
              from: fieldsOfCheck(field.computed, []).map((read) => `${code}.${read}`),
            },
          ]
        : [],
    ),
  check: ({ code, content }, after) => problemsOfJoins(code, content, after.all(MODEL)),
  references: (content) => [
    ...content.fields.flatMap(({ target }, index) =>
      target === undefined ? [] : [toModelReference(`fields.${index}.target`, target)],
    ),
    ...referencesOfRelations(content),
  ],
  permissionCodes: (code, { fields, rowRules = [] }) => [
    permissionCode.recordRead(code),
    permissionCode.recordWrite(code),
    permissionCode.recordRestore(code),
    permissionCode.recordPurge(code),
    ...fields.flatMap((field) => [
      ...(field.readPermission ? [permissionCode.fieldRead(code, field.code)] : []),
      ...(field.writePermission ? [permissionCode.fieldWrite(code, field.code)] : []),
    ]),
    ...rowRules.flatMap(({ unless = [] }) => unless),
  ],
};
