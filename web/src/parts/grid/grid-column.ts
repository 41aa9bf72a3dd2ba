import { findField, type Column, type Field, type Model, type Page } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';

/** The first column names its record. In pixels. */
const TITLE_WIDTH = 240;

/** A column of a grid. */
export interface GridColumn {
  readonly code: string;
  readonly label: string;
  readonly field: Field;
  readonly isSortable: boolean;
  /** In pixels. */
  readonly width: number;
}

/** The columns of a page, or those that were chosen in their place. */
export function columnsOf(page: Page, model: Model, chosen: readonly string[] | undefined): GridColumn[] {
  const ofPage = new Map(page.columns.map((column) => [column.fieldName, column]));
  const codes = chosen ?? page.columns.map((column) => column.fieldName);
  return codes
    .flatMap((code) => {
      const field = findField(model, code);
      return field ? [toColumn(field, ofPage.get(code))] : [];
    })
    .map((column, index) => (index === 0 ? { ...column, width: Math.max(column.width, TITLE_WIDTH) } : column));
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
  };
}
