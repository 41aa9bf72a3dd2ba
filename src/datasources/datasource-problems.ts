import type { FieldErrors } from '../errors/application-error.ts';
import type { DataSourceContent } from '../metadata/content.ts';
import type { Model } from '../metadata/model.ts';
import { compileFilters } from '../records/filter-condition.ts';
import { Parameters } from '../records/parameters.ts';
import type { ModelSource } from './datasource-statement.ts';
import { problemsOfRestSource } from './rest-problems.ts';
import { inspectSql } from './sql-guard.ts';

/**
 * What is wrong with a data source beyond its shape, for the moment of saving: path -> problem; empty when it may be
 * saved.
 * @param models the models of the environment as it would be after the save
 */
export async function problemsOfDataSource(
  content: DataSourceContent,
  models: ReadonlyMap<string, Model>,
): Promise<FieldErrors> {
  switch (content.kind) {
    case 'static':
      return {};
    case 'model':
      return problemsOfModelSource(content, models);
    case 'sql': {
      const problem = await problemOfSqlSource(content.sql, models);
      return problem === null ? {} : { 'content.sql': problem };
    }
    case 'rest':
      return problemsOfRestSource(content);
  }
}

function problemsOfModelSource(source: ModelSource, models: ReadonlyMap<string, Model>): FieldErrors {
  const { modelCode, fields, conditions = [], sortFields = [] } = source;
  const model = models.get(modelCode);
  if (!model) return { 'content.modelCode': 'is not a model' };
  const problems: FieldErrors = {};
  fields.forEach((code, index) => {
    if (!model.fields.has(code)) problems[`content.fields.${index}`] = `is not a field of ${modelCode}`;
    if (fields.indexOf(code) !== index) problems[`content.fields.${index}`] = 'is named twice';
  });
  sortFields.forEach(({ fieldName }, index) => {
    const path = `content.sortFields.${index}.fieldName`;
    const field = model.fields.get(fieldName);
    if (!field) problems[path] = `is not a field of ${modelCode}`;
    else if (field.type === 'json') problems[path] = 'is a json field, which has no order';
  });
  const errors: FieldErrors = {};
  compileFilters(conditions, model, { has: () => true }, new Parameters(), errors);
  const [broken] = Object.entries(errors);
  if (broken) problems['content.conditions'] = broken.join(': ');
  return problems;
}

async function problemOfSqlSource(sql: string, models: ReadonlyMap<string, Model>): Promise<string | null> {
  const inspection = await inspectSql(sql);
  if ('problem' in inspection) return inspection.problem;
  const missing = inspection.models.find((code) => !models.has(code));
  if (missing !== undefined) return `reads mt_${missing}, but there is no model ${missing}`;
  const stray = inspection.columns.find(
    ({ name, models: codes, certain }) => certain && ![...codes].some((code) => models.get(code)?.fields.has(name)),
  );
  return stray ? `reads ${stray.name}, which is not a field of ${[...stray.models].join(' or ')}` : null;
}
