import { FILTER_SCHEMA } from '../../metadata/content/filter-content.ts';
import { MODEL } from '../../metadata/models/model-type.ts';
import {
  toModel,
  toResource,
  type Configuration,
  type Reference,
  type ResourceType,
} from '../../metadata/resources/resource-type.ts';
import { PAGE_CONTENT, toPage, type Page, type PageContent } from './page-content.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { FIELD_TYPES, type FieldType } from '../../metadata/field-types/field-types.ts';
import { declaredFields, type Model } from '../../metadata/models/model.ts';
import { problemsOfRowRules, problemsOfRuleValues } from '../conditions/row-rules.ts';
import { problemsByPlace } from '../conditions/problems-by-place.ts';
import { authorOf, problemOfConditions, savedScope } from '../conditions/saved-conditions.ts';

/** Pages: under which key the records of a model are read, and how they are shown. */
export const PAGE_SCHEMA: ResourceType<PageContent, Page> = {
  name: 'PAGE_SCHEMA',
  codePattern: '^[a-z][a-z0-9_-]{0,63}$',
  schema: PAGE_CONTENT,
  schemas: [FILTER_SCHEMA],
  notFound: 'There is no such page',
  keep: ({ content }) => toPage(content),
  validate: problemsOfPage,
  check({ content }, after) {
    const model = after.find(MODEL, content.modelCode);
    return {
      ...problemsOfCommands(content, after),
      ...(model && problemsWithModel(content, model, after.all(MODEL))),
    };
  },
  references: referencesOf,
};

function referencesOf({ modelCode, columns, sortFields = [], form, commands = [] }: PageContent): Reference[] {
  return [
    toModel('modelCode', modelCode),
    ...columns.map((column, index) =>
      typeof column === 'string'
        ? toModel(`columns.${index}`, modelCode, column)
        : toModel(`columns.${index}.fieldName`, modelCode, column.fieldName),
    ),
    ...sortFields.map(({ fieldName }, index) => toModel(`sortFields.${index}.fieldName`, modelCode, fieldName)),
    ...(form?.sections ?? []).flatMap(({ fields }, at) =>
      fields.map((field, index) => toModel(`form.sections.${at}.fields.${index}`, modelCode, field)),
    ),
    ...commands.map((code, index) => toResource(`commands.${index}`, COMMAND, code)),
  ];
}

/** The platform knows of commands their name and what pages do with them. */
const COMMAND = { name: 'COMMAND' } as ResourceType<
  never,
  { readonly modelCode: string; readonly operations: readonly string[]; readonly target?: boolean }
>;

/** Commands of other models, which a page offers for no record of its own. Path -> problem. */
function problemsOfCommands({ commands = [], modelCode }: PageContent, after: Configuration): FieldErrors {
  const problems: FieldErrors = {};
  for (const [index, code] of commands.entries()) {
    const command = after.find(COMMAND, code);
    if (!command || command.modelCode === modelCode) continue;
    // What works on no record can be offered anywhere.
    if (command.operations.includes('CUSTOM') && command.target !== true) continue;
    problems[`content.commands.${index}`] = text('is a command of {model}', { model: command.modelCode });
  }
  return problems;
}

/** Problems of a page by itself: path -> problem. */
function problemsOfPage({ columns, sortFields = [], form }: PageContent): FieldErrors {
  const problems: FieldErrors = {};
  const fields = columns.map((column) => (typeof column === 'string' ? column : column.fieldName));
  findTwice('columns', fields, problems);
  const sorted = sortFields.map(({ fieldName }) => fieldName);
  findTwice('sortFields', sorted, problems);
  const places = (form?.sections ?? []).flatMap((section, at) =>
    section.fields.map((code, index) => ({ code, path: `form.sections.${at}.fields.${index}` })),
  );
  const codes = places.map(({ code }) => code);
  for (const [index, { code, path }] of places.entries()) {
    if (codes.indexOf(code) < index) problems[`content.${path}`] = 'is named twice';
  }
  return problems;
}

function findTwice(key: string, codes: readonly string[], problems: FieldErrors): void {
  codes.forEach((code, index) => {
    if (codes.indexOf(code) < index) problems[`content.${key}.${index}`] = 'is named twice';
  });
}

/** Problems of a page in view of its model: path -> problem. */
function problemsWithModel(content: PageContent, model: Model, models: ReadonlyMap<string, Model>): FieldErrors {
  const problems: FieldErrors = {};
  const page = toPage(content);
  for (const [index, { fieldName, format }] of page.columns.entries()) {
    const type = model.fields.get(fieldName)?.type;
    const problem = type && format !== undefined ? problemOfFormat(type, format) : null;
    if (problem !== null) problems[`content.columns.${index}.format`] = problem;
  }
  for (const [index, { fieldName }] of (content.sortFields ?? []).entries()) {
    const type = model.fields.get(fieldName)?.type;
    if (type && !FIELD_TYPES[type].comparable) {
      problems[`content.sortFields.${index}.fieldName`] = text('is a {type} field, which has no order', { type });
    }
  }
  const ofConditions = problemsByPlace(content.conditions ?? [], 'content.conditions', (some) => {
    const part = toPage({ ...content, conditions: [...some] });
    const scope = savedScope(model, authorOf(models));
    return problemOfFixedConditions(part, model, models) ?? problemOfConditions(part.paramConditions, scope);
  });
  return { ...problems, ...ofConditions };
}

/** Conditions that bind every read are those of a row rule. */
function problemOfFixedConditions(
  { name, conditions }: Page,
  model: Model,
  models: ReadonlyMap<string, Model>,
): Message | null {
  const rowRules = [{ name, conditions }];
  const fields = declaredFields(model);
  const found = {
    ...problemsOfRowRules({ ...model, rowRules }, models),
    ...problemsOfRuleValues({ name, fields, rowRules }),
  };
  return Object.values(found)[0] ?? null;
}

function problemOfFormat(type: FieldType, format: string): Message | null {
  const { formats = [] } = FIELD_TYPES[type];
  // A currency is named by its code: `currency:EUR`.
  const isKnown = formats.includes(format.replace(/^currency:[A-Z]{3}$/, 'currency'));
  if (isKnown) return problemOfCurrency(format);
  if (formats.length === 0) return text('is not possible for {type}', { type });
  return withSuggestion(text('must be one of {values}', { values: formats.join(', ') }), format, formats);
}

function problemOfCurrency(format: string): Message | null {
  const [, code] = /^currency:(.*)$/.exec(format) ?? [];
  const known = Intl.supportedValuesOf('currency');
  if (code === undefined || known.includes(code)) return null;
  return withSuggestion(text('{code} is no currency', { code }), code, known);
}
