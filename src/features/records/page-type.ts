import { Type, type Static } from 'typebox';
import { closedObject, IDENTIFIER, NAME } from '../../platform/metadata/content/schema-parts.ts';
import { toModel } from '../../platform/metadata/resources/references.ts';
import type { ResourceType } from '../../platform/metadata/resources/resource-type.ts';

const SCHEMA = closedObject({
  name: NAME,
  modelCode: IDENTIFIER,
  columns: Type.Array(IDENTIFIER, { minItems: 1, maxItems: 500 }),
});
export type PageContent = Static<typeof SCHEMA>;

/** Pages: under which key the records of a model are read. */
export const PAGE_SCHEMA: ResourceType<PageContent, PageContent> = {
  name: 'PAGE_SCHEMA',
  codePattern: '^[a-z][a-z0-9_-]{0,63}$',
  schema: SCHEMA,
  notFound: 'There is no such page',
  keep: ({ content }) => content,
  references: ({ modelCode, columns }) => [
    toModel('modelCode', modelCode),
    ...columns.map((column, index) => toModel(`columns.${index}`, modelCode, column)),
  ],
};
