type Row = Readonly<Record<string, unknown>>;

const properties = new Map<string, string>();
const columns = new Map<string, string>();

/** Rows of a result with camelCase keys. Values are left as they are, those of JSON columns included. */
export function withPropertyNames(rows: Row[]): Row[] {
  const keys = Object.keys(rows[0] ?? {}).map((column) => [column, propertyOf(column)] as const);
  if (keys.every(([column, property]) => column === property)) return rows;
  return rows.map((row) => {
    const renamed: Record<string, unknown> = {};
    for (const [column, property] of keys) renamed[property] = row[column];
    return renamed;
  });
}

/** Rows as JSON text whose keys are columns, for `json_to_recordset` and `json_populate_recordset`. */
export function toRecordset(rows: readonly object[]): string {
  return JSON.stringify(
    rows.map((row) => {
      const renamed: Record<string, unknown> = {};
      for (const [property, value] of Object.entries(row)) renamed[columnOf(property)] = value;
      return renamed;
    }),
  );
}

/** The columns of properties as SQL lists them: `d.pid, d.tenant_id`. */
export function columnList(names: readonly string[], alias?: string): string {
  return names.map((name) => (alias === undefined ? columnOf(name) : `${alias}.${columnOf(name)}`)).join(', ');
}

function propertyOf(column: string): string {
  let property = properties.get(column);
  if (property === undefined) {
    property = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    properties.set(column, property);
  }
  return property;
}

function columnOf(property: string): string {
  let column = columns.get(property);
  if (column === undefined) {
    column = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columns.set(property, column);
  }
  return column;
}
