import styles from './BarTile.module.css';
import { LinkBehind } from './LinkBehind.tsx';
import { LineTile } from './LineTile.tsx';
import type { TileProps } from './tile-props.ts';
import { columnDigits, columnLabel, columnsOf, fieldOf, inOwnOrder, numberOf, valueText } from './tile-values.ts';

/** Bars are a table whose figures have lengths. Along a time they are drawn as a line is. */
export function BarTile(props: TileProps) {
  const { application, tile, found } = props;
  const [group, ...figures] = columnsOf(tile, found.rows);
  if (!group) return null;
  const rows = inOwnOrder(found.rows, group, fieldOf(application, tile, group));
  if (group.part !== undefined) return <LineTile {...props} />;
  const most = Math.max(...rows.flatMap((row) => figures.map(({ name }) => numberOf(row[name]) ?? 0)), 0);
  return (
    <div className={styles.scroll}>
      <table className={styles.bars}>
        <colgroup>
          <col className={styles.labels} />
        </colgroup>
        <thead className={figures.length > 1 ? undefined : 'visually-hidden'}>
          <tr>
            <th scope="col">{columnLabel(group)}</th>
            {figures.map((column) => (
              <th key={column.name} scope="col">
                {columnLabel(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const label = valueText(row[group.name], group, fieldOf(application, tile, group));
            return (
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={index}>
                <th scope="row" title={label}>
                  <LinkBehind application={application} tile={tile} row={row} text={label} />
                </th>
                {figures.map((column) => {
                  const value = numberOf(row[column.name]) ?? 0;
                  const share = most > 0 ? Math.max(0, (value / most) * 100) : 0;
                  return (
                    <td key={column.name}>
                      <span className={styles.bar}>
                        <span className={styles.length} style={{ width: `${share}%` }} />
                      </span>
                      <span className={styles.value}>
                        {valueText(row[column.name] ?? 0, column, undefined, columnDigits(rows, column))}
                      </span>
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
