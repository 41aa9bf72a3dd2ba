/** Memory of the program at one time. */
export interface Sample {
  readonly seconds: number;
  /** Resident memory of the whole process. */
  readonly residentMiB: number;
  /** Used heap of the main thread. */
  readonly heapMiB: number;
}

export interface SoakVerdict {
  readonly isFlat: boolean;
  /** The growth from the first fifth after the warm-up to the last one, as a share. */
  readonly growth: number;
  readonly mostMiB: number;
}

const WARM_UP_SHARE = 1 / 6;
const MAX_GROWTH = 0.05;

/** Whether resident memory stays within 5 % after the warm-up, the first sixth. */
export function judgeSoak(samples: readonly Sample[]): SoakVerdict {
  const end = samples.at(-1)?.seconds ?? 0;
  const warm = samples.filter(({ seconds }) => seconds >= end * WARM_UP_SHARE);
  const fifth = Math.max(1, Math.floor(warm.length / 5));
  const mean = (part: readonly Sample[]) => part.reduce((sum, { residentMiB }) => sum + residentMiB, 0) / part.length;
  const growth = mean(warm.slice(-fifth)) / mean(warm.slice(0, fifth)) - 1;
  return { isFlat: growth <= MAX_GROWTH, growth, mostMiB: Math.max(...samples.map(({ residentMiB }) => residentMiB)) };
}

const SIZE = { width: 800, height: 320, left: 56, bottom: 36, top: 40, right: 16 };

/** The curves as a picture that says what was measured. */
export function soakPicture(title: string, samples: readonly Sample[]): string {
  const { width, height, left, bottom, top, right } = SIZE;
  const end = Math.max(1, samples.at(-1)?.seconds ?? 1);
  const most = Math.ceil(Math.max(100, ...samples.map(({ residentMiB }) => residentMiB)) / 100) * 100;
  const x = (seconds: number) => left + (seconds / end) * (width - left - right);
  const y = (mib: number) => height - bottom - (mib / most) * (height - bottom - top);
  const points = (of: (sample: Sample) => number) =>
    samples.map((sample) => `${x(sample.seconds).toFixed(1)},${y(of(sample)).toFixed(1)}`).join(' ');
  const lines = Array.from({ length: most / 100 + 1 }, (_, n) => n * 100).map(
    (mib) =>
      `<line x1="${left}" x2="${width - right}" y1="${y(mib)}" y2="${y(mib)}" stroke="#ddd"/>` +
      `<text x="${left - 6}" y="${y(mib) + 4}" text-anchor="end">${mib}</text>`,
  );
  const minutes = Array.from({ length: 7 }, (_, n) => (end * n) / 6).map(
    (seconds) =>
      `<text x="${x(seconds)}" y="${height - 14}" text-anchor="middle">${(seconds / 60).toFixed(1)} min</text>`,
  );
  const curve = (colour: string, of: (sample: Sample) => number) =>
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points(of)}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="20">${title}</text>
${lines.join('\n')}
${minutes.join('\n')}
${curve('#1f6feb', ({ residentMiB }) => residentMiB)}
${curve('#2da44e', ({ heapMiB }) => heapMiB)}
<text x="${width - right}" y="36" text-anchor="end"><tspan fill="#1f6feb">resident</tspan> and <tspan fill="#2da44e">heap of the main thread</tspan>, MiB</text>
</svg>
`;
}
