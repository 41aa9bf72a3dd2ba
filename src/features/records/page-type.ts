import { FILTER_SCHEMA } from '../../platform/metadata/content/filter-content.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { toModel, toResource } from '../../platform/metadata/resources/references.ts';
import type { Reference, ResourceType } from '../../platform/metadata/resources/resource-type.ts';
import { PAGE_CONTENT, toPage, type Page, type PageContent } from './pages/page-content.ts';
import { problemsOfPage, problemsWithModel } from './pages/page-problems.ts';

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
    return model ? problemsWithModel(content, model, after.all(MODEL)) : {};
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
    ...commands.map((code, index) => toResource(`commands.${index}`, { name: 'COMMAND' }, code)),
  ];
}
