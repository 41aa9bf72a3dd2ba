import { findField, type Column, type Field, type Model, type Page } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { PageSearch } from '../records/page-search.ts';
import { parsePairs } from '../records/pairs.ts';

/** The first column names its record. In pixels. */
const TITLE_WIDTH = 240;
export const CHECK_WIDTH = 40;
const LEAST_WIDTH = 56;
const MOST_WIDTH = 800;

/** A column of a grid. */
export interface GridColumn {
  readonly code: string;
  readonly label: string;
  readonly field: Field;
  readonly isSortable: boolean;
  /** In pixels. */
  readonly width: number;
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
    const usual = index === 0 ? Math.max(column.width, TITLE_WIDTH) : column.width;
    return [{ ...column, width: boundedWidth(Number(chosenWidths.get(code) ?? usual)) }];
  });
  const isPinned = ({ code }: GridColumn): boolean => pin.includes(code);
  let left = CHECK_WIDTH;
  return [...columns.filter(isPinned), ...columns.filter((column) => !isPinned(column))].map((column) => {
    const pinnedAt = isPinned(column) ? left : null;
    left += column.width;
    return { ...column, pinnedAt };
  });
}

/** In pixels. */
export function boundedWidth(width: number): number {
  return Number.isFinite(width) ? Math.round(Math.min(Math.max(width, LEAST_WIDTH), MOST_WIDTH)) : LEAST_WIDTH;
}

function toColumn(field: Field, column: Column | undefined): GridColumn {
  const { code, type } = field;
  const label = fieldName({ code, name: column?.label ?? field.name });
  // A header is read whole; 44 px are its margins and its arrow.
  const needed = [...label].reduce((sum, letter) => sum + (letter > '\u2e80' ? 13 : 7), 44);
  return {
    code,
    label,
    field,
    isSortable: column?.sortable ?? type !== 'json',
    width: column?.width ?? Math.max(FIELD_KINDS[type].width, needed),
    pinnedAt: null,
  };
}
