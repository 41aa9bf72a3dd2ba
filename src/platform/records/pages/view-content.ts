import { Type, type Static, type TObject } from 'typebox';
import { FILTERS } from '../../metadata/content/filter-content.ts';
import { closedObject, IDENTIFIER, NAME } from '../../metadata/content/schema-parts.ts';
import { MAX_FIELDS } from '../../metadata/field-types/field-content.ts';
import { MAX_SORT_FIELDS } from '../records.limits.ts';

const SORT_FIELD = closedObject({ fieldName: Type.String({ maxLength: 200 }), order: Type.Enum(['asc', 'desc']) });

const VIEW_SHAPES = ['board', 'calendar', 'chart'] as const;
const FIGURES = ['sum', 'avg', 'min', 'max'] as const;

/** How clients show the list of a view. The service itself does nothing with it but to check it. */
const VIEW_DISPLAY = closedObject({
  shape: Type.Optional(Type.Enum([...VIEW_SHAPES], { description: 'A table where it is absent' })),
  groupBy: Type.Optional(
    closedObject({
      fieldName: IDENTIFIER,
      part: Type.Optional(
        Type.Enum(['year', 'quarter', 'month', 'week', 'day'], { description: 'Of a date or a datetime' }),
      ),
    }),
  ),
  measure: Type.Optional(
    closedObject({
      fn: Type.Enum([...FIGURES], { description: 'Of a chart, which counts without it' }),
      fieldName: IDENTIFIER,
    }),
  ),
  figures: Type.Optional(
    Type.Array(closedObject({ fieldName: IDENTIFIER, fn: Type.Enum([...FIGURES, 'none']) }), { maxItems: MAX_FIELDS }),
  ),
  widths: Type.Optional(
    Type.Array(closedObject({ fieldName: IDENTIFIER, pixels: Type.Integer({ minimum: 40, maximum: 2_000 }) }), {
      maxItems: MAX_FIELDS,
    }),
  ),
  pinned: Type.Optional(Type.Array(IDENTIFIER, { maxItems: MAX_FIELDS, uniqueItems: true })),
  rows: Type.Optional(Type.Enum(['roomy'])),
});
export type ViewDisplay = Static<typeof VIEW_DISPLAY>;

/** What a view keeps of a list. */
export const VIEW_PARTS = {
  conditions: Type.Optional({ ...FILTERS, description: 'Joined with those of the request by AND' }),
  sortFields: Type.Optional(Type.Array(SORT_FIELD, { maxItems: MAX_SORT_FIELDS })),
  columns: Type.Optional(Type.Array(IDENTIFIER, { maxItems: MAX_FIELDS, uniqueItems: true })),
  display: Type.Optional(VIEW_DISPLAY),
};
export type ViewParts = Static<TObject<typeof VIEW_PARTS>>;

export const VIEW_CONTENT = closedObject({
  name: NAME,
  pageKey: Type.String({ maxLength: 64 }),
  role: Type.Optional(Type.String({ maxLength: 64, description: 'Who sees it; everyone where it is absent' })),
  ...VIEW_PARTS,
});
export type ViewContent = Static<typeof VIEW_CONTENT>;

export const VIEW_SCOPES = ['private', 'role', 'public'] as const;

/** A saved view of a page, of the configuration or of a user's own. */
export interface View extends Required<ViewParts> {
  readonly pid: string;
  readonly name: string;
  readonly pageKey: string;
  readonly scope: (typeof VIEW_SCOPES)[number];
  /** Of a view for one role. */
  readonly role?: string;
}
