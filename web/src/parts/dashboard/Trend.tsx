import { formatRounded } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import type { TileRows } from './dashboard-query.ts';
import styles from './Trend.module.css';
import { numberOf, partText, startsBetween } from './tile-values.ts';

const [WIDTH, HEIGHT] = [100, 24];

interface TrendProps {
  readonly part: string;
  /** At least two, the oldest first. */
  readonly points: NonNullable<TileRows['trend']>;
}

/** A small line below a number: how it went, with nothing where there were no records. */
export function Trend({ part, points }: TrendProps) {
  const [first, last] = [points[0]?.at ?? '', points.at(-1)?.at ?? ''];
  const known = new Map(points.map(({ at, value }) => [at, numberOf(value) ?? 0]));
  const values = startsBetween(first, last, part).map((start) => known.get(start) ?? 0);
  const [least, most] = [Math.min(0, ...values), Math.max(...values)];
  const heightOf = (value: number): number => HEIGHT - ((value - least) / (most - least || 1)) * HEIGHT;
  const line = values.map((value, index) => `${(index / (values.length - 1)) * WIDTH},${heightOf(value).toFixed(2)}`);
  const label = t('{from}: {first}, {to}: {last}', {
    from: partText(first, part),
    first: formatRounded(values[0] ?? 0),
    to: partText(last, part),
    last: formatRounded(values.at(-1) ?? 0),
  });
  return (
    <svg
      className={styles.trend}
      role="img"
      aria-label={label}
      viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      <polyline points={line.join(' ')} />
    </svg>
  );
}
