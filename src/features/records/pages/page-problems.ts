import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { FIELD_TYPES, type FieldType } from '../../../platform/metadata/field-types/field-types.ts';
import { declaredFields, type Model } from '../../../platform/metadata/models/model.ts';
import { problemsOfRowRules, problemsOfRuleValues } from '../query/row-rules.ts';
import { authorOf, problemOfConditions, savedScope } from '../query/saved-conditions.ts';
import { toPage, type Page, type PageContent } from './page-content.ts';

/** Problems of a page by itself: path -> problem. */
export function problemsOfPage({ columns, sortFields = [], form }: PageContent): FieldErrors {
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
export function problemsWithModel(content: PageContent, model: Model, models: ReadonlyMap<string, Model>): FieldErrors {
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
  const problem =
    problemOfFixedConditions(page, model) ??
    problemOfConditions(page.paramConditions, savedScope(model, authorOf(models)));
  return problem === null ? problems : { ...problems, 'content.conditions': problem };
}

/** Conditions that bind every read are those of a row rule. */
function problemOfFixedConditions({ name, conditions }: Page, model: Model): Message | null {
  const rowRules = [{ name, conditions }];
  const fields = declaredFields(model);
  const found = { ...problemsOfRowRules({ ...model, rowRules }), ...problemsOfRuleValues({ name, fields, rowRules }) };
  return Object.values(found)[0] ?? null;
}

function problemOfFormat(type: FieldType, format: string): Message | null {
  const { formats = [] } = FIELD_TYPES[type];
  // A currency is named by its code: `currency:EUR`.
  const isKnown = formats.includes(format.replace(/^currency:[A-Z]{3}$/, 'currency'));
  if (isKnown) return null;
  if (formats.length === 0) return text('is not possible for {type}', { type });
  return text('must be one of {values}', { values: formats.join(', ') });
}
