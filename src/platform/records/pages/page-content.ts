import { Type, type Static } from 'typebox';
import { FILTERS, type FilterContent } from '../../metadata/content/filter-content.ts';
import { closedObject, IDENTIFIER, IDENTIFIER_PATTERN, NAME } from '../../metadata/content/schema-parts.ts';
import { MAX_FIELDS } from '../../metadata/field-types/field-content.ts';
import { namesOfParams } from '../conditions/saved-conditions.ts';

/** How a list shows a field. Widths are in pixels. */
export interface PageColumn {
  readonly fieldName: string;
  readonly label?: string;
  readonly format?: string;
  readonly width?: number;
}

const COLUMN = Type.Unsafe<string | PageColumn>({
  type: ['string', 'object'],
  pattern: IDENTIFIER_PATTERN,
  additionalProperties: false,
  required: ['fieldName'],
  properties: {
    fieldName: IDENTIFIER,
    label: NAME,
    format: { type: 'string', maxLength: 50 },
    width: { type: 'integer', minimum: 20, maximum: 2_000 },
  },
});

const SORT_FIELD = closedObject({ fieldName: IDENTIFIER, order: Type.Enum(['asc', 'desc']) });

const SECTION = closedObject({
  name: Type.Optional(NAME),
  fields: Type.Array(IDENTIFIER, { minItems: 1, maxItems: MAX_FIELDS }),
  columns: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 4, description: 'How many fields stand side by side; 1 by default' }),
  ),
});

export const PAGE_CONTENT = closedObject({
  name: NAME,
  modelCode: IDENTIFIER,
  columns: Type.Array(COLUMN, { minItems: 1, maxItems: MAX_FIELDS }),
  sortFields: Type.Optional(Type.Array(SORT_FIELD, { minItems: 1, maxItems: 5 })),
  conditions: Type.Optional({
    ...FILTERS,
    description: 'Bind every list and detail through the page; with `$params.<name>`, lists alone',
  }),
  form: Type.Optional(closedObject({ sections: Type.Array(SECTION, { minItems: 1, maxItems: 100 }) })),
  commands: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, uniqueItems: true, description: 'What it offers' }),
  ),
});
export type PageContent = Static<typeof PAGE_CONTENT>;

/** A page as the program uses it: each column is an object. */
export interface Page extends Omit<PageContent, 'columns'> {
  readonly columns: readonly PageColumn[];
  /** They bind whatever is read through the page. */
  readonly conditions: FilterContent[];
  /** They name params: a list asks for them in its caller's name, with the values of its request. */
  readonly paramConditions: FilterContent[];
}

export function toPage(content: PageContent): Page {
  const columns = content.columns.map((column) => (typeof column === 'string' ? { fieldName: column } : column));
  const { fixed = [], withParams = [] } = Object.groupBy(content.conditions ?? [], (condition) =>
    namesOfParams([condition]).length > 0 ? 'withParams' : 'fixed',
  );
  return { ...content, columns, conditions: fixed, paramConditions: withParams };
}
