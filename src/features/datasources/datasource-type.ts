import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import { FILTER_SCHEMA } from '../../platform/metadata/content/filter-content.ts';
import { problemsOfFields } from '../../platform/metadata/models/declared-fields.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { toModel, type ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { DATA_SOURCE_SCHEMA, kindOf, paramsOf, type DataSourceContent } from './kinds/kinds.ts';
import type { SavingChecks } from './kinds/kind.ts';

/** Data sources: rows that the configuration defines. */
export const DATASOURCE: ResourceType<DataSourceContent, DataSourceContent> = {
  name: 'DATASOURCE',
  codePattern: '^[a-z][a-z0-9_]{0,63}$',
  schema: DATA_SOURCE_SCHEMA,
  schemas: [FILTER_SCHEMA],
  notFound: 'There is no such data source',
  keep: ({ content }) => content,
  permissionCodes: (code) => [permissionCode.dataSourceRead(code)],
  validate: (content) => problemsOfFields(paramsOf(content), 'params'),
  warnings: unusedParams,
  references: (content) => [
    ...(kindOf(content).references?.(content) ?? []),
    ...paramsOf(content).flatMap(({ target }, index) =>
      target === undefined ? [] : toModel(`params.${index}.target`, target),
    ),
  ],
  secrets: (content) => kindOf(content).secrets?.(content) ?? [],
};

/** With the check for the moment of saving. */
export function dataSourceType(checks: SavingChecks): typeof DATASOURCE {
  return {
    ...DATASOURCE,
    check: async ({ content }, after) => ({
      ...(await kindOf(content).problems?.(content, after.all(MODEL), checks)),
      ...undeclaredParams(content),
    }),
  };
}

function undeclaredParams(content: DataSourceContent): FieldErrors {
  const declared = new Set(paramsOf(content).map(({ code }) => code));
  const problems: FieldErrors = {};
  for (const [path, name] of kindOf(content).paramsNamed?.(content) ?? []) {
    if (!declared.has(name)) problems[`content.${path}`] = text('names {param}, which params lack', { param: name });
  }
  return problems;
}

function unusedParams(content: DataSourceContent): FieldErrors {
  const named = new Set([...(kindOf(content).paramsNamed?.(content) ?? [])].map(([, name]) => name));
  return Object.fromEntries(
    paramsOf(content).flatMap(({ code }, index) =>
      named.has(code) ? [] : [[`content.params.${index}`, 'is used nowhere'] as const],
    ),
  );
}
