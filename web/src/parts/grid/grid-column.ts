import { findField, type Column, type Field, type Model, type Page } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { PageSearch } from '../records/page-search.ts';
import { parsePairs } from '../records/pairs.ts';

/** The first column names its record. In pixels: at least, and where there is room. */
const TITLE_WIDTHS = [184, 420] as const;
/** Letters of a header, and of a cell. */
const HEAD_SIZE = 12;
const CELL_SIZE = 13;
/** A cell's margins; a header has an arrow as well, and a value of an enum its dot. */
const HEAD_MARGINS = 40;
const ENUM_MARGINS = 40;
export const CHECK_WIDTH = 40;
const LEAST_WIDTH = 56;
const MOST_WIDTH = 800;

/** A column of a grid. */
export interface GridColumn {
  readonly code: string;
  readonly label: string;
  readonly field: Field;
  readonly isSortable: boolean;
  /** In pixels: at least, and at most, where the grid has room. Both the same: this wide. */
  readonly width: number;
  readonly widest: number;
  /** In pixels from the left edge, where it stays; null: it is scrolled. */
  readonly pinnedAt: number | null;
}

/** The columns of a page, or those that were chosen in their place; pinned ones first. */
export function columnsOf(page: Page, model: Model, { cols, widths, pin = [] }: PageSearch): GridColumn[] {
  const ofPage = new Map(page.columns.map((column) => [column.fieldName, column]));
  const chosenWidths = parsePairs(widths);
  const codes = cols ?? page.columns.map((column) => column.fieldName);
  const columns = codes.flatMap((code, index) => {
    const field = findField(model, code);
    if (!field) return [];
    const column = toColumn(field, ofPage.get(code));
    const chosen = chosenWidths.get(code) ?? ofPage.get(code)?.width;
    if (chosen !== undefined) return [{ ...column, ...fixed(boundedWidth(Number(chosen))) }];
    const [least, most] = index === 0 ? TITLE_WIDTHS : [0, 0];
    return [{ ...column, width: Math.max(column.width, least), widest: Math.max(column.widest, most) }];
  });
  const isPinned = ({ code }: GridColumn): boolean => pin.includes(code);
  let left = CHECK_WIDTH;
  return [...columns.filter(isPinned), ...columns.filter((column) => !isPinned(column))].map((column) => {
    const pinnedAt = isPinned(column) ? left : null;
    left += column.width;
    // Those beside it stay where it ends.
    return pinnedAt === null ? column : { ...column, ...fixed(column.width), pinnedAt };
  });
}

/** In pixels. */
export function boundedWidth(width: number): number {
  return Number.isFinite(width) ? Math.round(Math.min(Math.max(width, LEAST_WIDTH), MOST_WIDTH)) : LEAST_WIDTH;
}

function toColumn(field: Field, column: Column | undefined): GridColumn {
  const { code, type } = field;
  const label = fieldName({ code, name: column?.label ?? field.name });
  const { width, widest = width } = FIELD_KINDS[type];
  // A header is read whole.
  const needed = Math.max(textWidth(label, HEAD_SIZE) + HEAD_MARGINS, longestValue(field));
  return {
    code,
    label,
    field,
    isSortable: column?.sortable ?? type !== 'json',
    width: Math.max(width, needed),
    widest: Math.max(widest, needed),
    pinnedAt: null,
  };
}

function fixed(width: number): Pick<GridColumn, 'width' | 'widest'> {
  return { width, widest: width };
}

/** About as wide as a text is, in pixels. */
function textWidth(text: string, size: number): number {
  return Math.ceil([...text].reduce((sum, letter) => sum + (letter > '\u2e80' ? size : size * 0.6), 0));
}

/** A value of an enum is read whole, up to a usual length. */
function longestValue({ values = [], labels = {} }: Field): number {
  const widths = values.map((value) => textWidth(labels[value] ?? value, CELL_SIZE) + ENUM_MARGINS);
  return Math.min(Math.max(0, ...widths), 180);
}
