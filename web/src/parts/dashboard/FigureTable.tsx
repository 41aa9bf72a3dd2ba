import type { Application } from '../../app/application.ts';
import type { Tile, TileColumn, TileRow } from './dashboard-query.ts';
import { LinkBehind } from './LinkBehind.tsx';
import styles from './FigureTable.module.css';
import { columnDigits, columnLabel, fieldOf, numberOf, valueText } from './tile-values.ts';

interface FigureTableProps {
  readonly application: Application;
  readonly tile: Tile;
  readonly columns: readonly TileColumn[];
  readonly rows: readonly TileRow[];
}

/** The rows of a tile. The first cell leads to the records behind its row. */
export function FigureTable({ application, tile, columns, rows }: FigureTableProps) {
  const isFigure = (column: TileColumn): boolean =>
    !column.isGroup && rows.every((row) => row[column.name] === null || numberOf(row[column.name]) !== null);
  const digits = new Map(columns.filter(isFigure).map((column) => [column.name, columnDigits(rows, column)]));
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" className={digits.has(column.name) ? styles.number : undefined}>
              {columnLabel(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          return (
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={index}>
              {columns.map((column, at) => {
                const text = valueText(
                  row[column.name],
                  column,
                  fieldOf(application, tile, column),
                  digits.get(column.name),
                );
                return (
                  <td key={column.name} title={text} className={digits.has(column.name) ? styles.number : undefined}>
                    {at === 0 ? <LinkBehind application={application} tile={tile} row={row} text={text} /> : text}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
