import { formatPercent } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import styles from './NumberTile.module.css';
import type { TileProps } from './tile-props.ts';
import { Trend } from './Trend.tsx';
import { columnsOf, fieldOf, numberOf, valueText } from './tile-values.ts';

/** One figure, what it was before, and how it went. */
export function NumberTile({ application, tile, found: { rows, previous, trend } }: TileProps) {
  const [column] = columnsOf(tile, rows);
  if (!column) return null;
  const field = fieldOf(application, tile, column);
  const textOf = (row: (typeof rows)[number] | undefined): string => {
    const value = row?.[column.name];
    // The sum of no records is nothing.
    return value === null || value === undefined ? '0' : valueText(value, column, field);
  };
  const now = numberOf(rows[0]?.[column.name]) ?? 0;
  const before = previous && (numberOf(previous[0]?.[column.name]) ?? 0);
  return (
    <>
      <p className={styles.figure}>{textOf(rows[0])}</p>
      {trend && tile.trend && trend.length > 1 && <Trend part={tile.trend.part} points={trend} />}
      {before !== undefined && (
        <p className={styles.change}>
          <span className={styles.share}>{changeText(now, before)}</span> {textOf(previous?.[0])}{' '}
          {tile.comparison?.label ?? t('before')}
        </p>
      )}
    </>
  );
}

function changeText(now: number, before: number): string {
  if (now === before) return `${t('Unchanged')} ·`;
  const arrow = now > before ? '▲' : '▼';
  return before === 0 ? arrow : `${arrow} ${formatPercent(Math.abs(now - before) / Math.abs(before))} ·`;
}
