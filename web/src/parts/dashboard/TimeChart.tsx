import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatRounded } from '../../app/format.ts';
import { formatLocale } from '../../app/preferences.ts';
import type { TileColumn, TileRow } from './dashboard-query.ts';
import styles from './LineTile.module.css';
import { columnLabel, numberOf, valueText } from './tile-values.ts';

interface TimeChartProps {
  readonly kind: 'line' | 'bar';
  readonly columns: readonly TileColumn[];
  readonly rows: readonly TileRow[];
}

/** One for each series; they tell series apart and judge none. */
const COLOURS = ['--accent', '--success', '--warning', '--info', '--danger', '--text-muted'];
const FONT = '12px system-ui, sans-serif';
/** Room for the figures beside their axis. */
const AXIS_WIDTH = 44;
/** And for the moments below theirs. */
const AXIS_HEIGHT = 32;
const LEAST_BAR_PX = 3;

/** What an axis of time is drawn by. `rows` without a time are left out. */
function dataOf([time, ...figures]: readonly TileColumn[], rows: readonly TileRow[]): uPlot.AlignedData {
  const points = rows
    .flatMap((row) => {
      const moment = Date.parse(String(row[time?.name ?? '']));
      return Number.isNaN(moment) ? [] : [{ seconds: moment / 1_000, row }];
    })
    .sort((one, other) => one.seconds - other.seconds);
  return [
    points.map(({ seconds }) => seconds),
    ...figures.map(({ name }) => points.map(({ row }) => numberOf(row[name]))),
  ];
}

/** Figures along a time, drawn by uPlot. What the pointer is at, else the last, is written above it. */
export default function TimeChart({ kind, columns, rows }: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [time, ...figures] = columns;
  const data = dataOf(columns, rows);
  const index = at ?? data[0].length - 1;
  const moment = data[0][index];
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const plot = new uPlot(optionsOf(kind, figures, element, setAt), dataOf(columns, rows), element);
    const fit = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: element.clientHeight }));
    fit.observe(element);
    const repaint = () => plot.redraw(false);
    const theme = new MutationObserver(repaint);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', repaint);
    return () => {
      fit.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', repaint);
      plot.destroy();
    };
    // A chart is drawn anew for other figures.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [kind, JSON.stringify(columns), rows]);
  return (
    <div className={styles.chart} aria-hidden="true">
      <p className={styles.readout}>
        {time && moment !== undefined && <span>{momentText(moment, time)}</span>}
        {figures.map((column, series) => (
          <span key={column.name}>
            <span className={styles.key} style={{ background: `var(${COLOURS[series % COLOURS.length]})` }} />
            {columnLabel(column)} <strong>{formatRounded(data[series + 1]?.[index] ?? 0)}</strong>
          </span>
        ))}
      </p>
      <div ref={box} className={styles.plot} />
    </div>
  );
}

/** What the pointer is at. */
function momentText(seconds: number, time: TileColumn): string {
  const iso = new Date(seconds * 1_000).toISOString();
  const isDay = time.part !== 'hour' && iso.endsWith('T00:00:00.000Z');
  return valueText(iso.slice(0, isDay ? 10 : 16), { ...time, part: time.part ?? (isDay ? 'day' : 'hour') }, undefined);
}

const DAY_SECONDS = 86_400;
/** A single moment stands in the middle of its days. */
const around = (moment: number): uPlot.Range.MinMax => [moment - 2 * DAY_SECONDS, moment + 2 * DAY_SECONDS];
const ticks = {
  time: new Intl.DateTimeFormat(formatLocale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
  day: new Intl.DateTimeFormat(formatLocale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(formatLocale, { month: 'short', year: '2-digit', timeZone: 'UTC' }),
};

/** A mark of the axis, as exact as the marks lie apart. */
function tickText(seconds: number, [first = 0, second = first + DAY_SECONDS]: readonly number[]): string {
  const apart = second - first;
  const format = apart < DAY_SECONDS ? ticks.time : apart < 28 * DAY_SECONDS ? ticks.day : ticks.month;
  return format.format(seconds * 1_000);
}

function optionsOf(
  kind: TimeChartProps['kind'],
  figures: readonly TileColumn[],
  element: HTMLElement,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const axis = { stroke: () => colour(element, '--text-muted'), font: FONT, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 48, LEAST_BAR_PX] });
  return {
    width: Math.max(1, element.clientWidth),
    height: Math.max(1, element.clientHeight),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    // Days are those of the service: no zone of the reader moves them.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: ({ data }, first, last) => (data[0].length > 1 ? [first, last] : around(first)) },
      y: { range: (_plot, least, most) => [Math.min(0, least), most > 0 ? most * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        size: AXIS_HEIGHT,
        grid: { show: false },
        values: (_plot, splits) => splits.map((split) => tickText(split, splits)),
      },
      {
        ...axis,
        size: AXIS_WIDTH,
        grid: { stroke: () => colour(element, '--line'), width: 1 },
        values: (_plot, splits) => splits.map((split) => formatRounded(split, { isShort: true })),
      },
    ],
    series: [
      {},
      ...figures.map((_, series) => ({
        stroke: () => colour(element, COLOURS[series % COLOURS.length] ?? '--accent'),
        width: 2,
        points: { size: 5 },
        ...(kind === 'bar' &&
          bars && {
            paths: bars,
            fill: () => colour(element, COLOURS[series % COLOURS.length] ?? '--accent'),
            points: { show: false },
          }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}

/** A variable's colour in the theme that holds now: a canvas knows no variables. */
function colour(element: HTMLElement, name: string): string {
  const before = element.style.color;
  element.style.color = `var(${name})`;
  const found = getComputedStyle(element).color;
  element.style.color = before;
  return found;
}
