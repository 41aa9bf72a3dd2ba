import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatNumber } from '../../app/format.ts';
import { useLatest } from '../../ui/use-latest.ts';
import styles from './Chart.module.css';

interface PlotProps {
  /** Of the groups, from left to right. */
  readonly names: readonly string[];
  readonly values: readonly number[];
  readonly isLine: boolean;
  readonly onChoose: (index: number) => void;
}

const HEIGHT = 320;
const FONT = '12px system-ui, sans-serif';
const BAR_SHARE = 0.6;
const MOST_BAR_WIDTH = 64;
/** Between names below the axis. */
const NAME_SPACE = 90;

/** Bars or a line, drawn on a canvas. Its table says the same to those who do not see it. */
export function Plot({ names, values, isLine, onChoose }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const choose = useLatest(onChoose);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let plot: uPlot | null = null;
    const draw = () => {
      plot?.destroy();
      const data: uPlot.AlignedData = [names.map((_, index) => index), [...values]];
      plot = new uPlot(optionsOf(element, names, isLine), data, element);
      plot.over.addEventListener('click', () => {
        const index = plot?.cursor.idx;
        if (index !== null && index !== undefined) choose.current(index);
      });
    };
    draw();
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // A canvas does not follow the theme by itself.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [names, values, isLine, choose]);
  return <div ref={box} className={styles.plot} aria-hidden="true" />;
}

function optionsOf(element: HTMLElement, names: readonly string[], isLine: boolean): uPlot.Options {
  const colour = (variable: string) => colourOf(element, variable);
  const axis = { stroke: colour('--text-muted'), font: FONT, grid: { stroke: colour('--line'), width: 1 } };
  const nameAt = (at: number): string => names[at] ?? '';
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: isLine }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [-0.6, names.length - 0.4] },
      y: { range: (_, low, high) => rangeOf(low, high) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { show: false },
        space: NAME_SPACE,
        incrs: [1, 2, 5, 10, 20],
        values: (_, places) => places.map((at) => (Number.isInteger(at) ? nameAt(at) : '')),
      },
      { ...axis, size: 72, ticks: { show: false }, values: (_, places) => places.map((at) => formatNumber(at)) },
    ],
    series: [
      {},
      {
        stroke: colour('--accent'),
        width: isLine ? 2 : 0,
        ...(isLine
          ? { points: { show: names.length < 40, fill: colour('--accent') } }
          : {
              fill: colour('--accent'),
              paths: uPlot.paths.bars?.({ size: [BAR_SHARE, MOST_BAR_WIDTH] }),
              points: { show: false },
            }),
      },
    ],
  };
}

/** With the zero: bars begin there. */
function rangeOf(low: number, high: number): [number, number] {
  const top = Math.max(high, 0);
  return [Math.min(low, 0), top === 0 ? 1 : top * 1.08];
}

/** The present value of a variable: a canvas knows neither variables nor themes. */
function colourOf(element: HTMLElement, variable: string): string {
  element.style.color = `var(${variable})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}
