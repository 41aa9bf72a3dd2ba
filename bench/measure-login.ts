import { LOGIN } from './bench-data.ts';
import { busyShare } from './quiet.ts';

/**
 * Whether the time of a refused log-in tells if somebody has the e-mail. Attempts for a known and for an unknown e-mail
 * take turns with a second series for the known one, whose ratio to the first shows what chance alone does.
 */
const WARM_UP = 20;
const ATTEMPTS = Number(process.env.BENCH_ATTEMPTS ?? 300);
/** The known one's own name with another ending: as long, and nobody's. */
const UNKNOWN = LOGIN.email.replace('.example', '.invalid');
const SERIES = { known: LOGIN.email, unknown: UNKNOWN, again: LOGIN.email } as const;

const url = process.env.BENCH_API_URL;
if (!url) throw new Error('BENCH_API_URL is missing: this is a part of npm run bench -- login');

const times: Record<keyof typeof SERIES, number[]> = { known: [], unknown: [], again: [] };
const busy = await busyShare();
for (let round = -WARM_UP; round < ATTEMPTS; round += 1) {
  const series = Object.entries(SERIES) as [keyof typeof SERIES, string][];
  // Whoever comes first is another one in each round.
  for (let turn = 0; turn < series.length; turn += 1) {
    const [name, email] = series[(turn + Math.abs(round)) % series.length] as [keyof typeof SERIES, string];
    const tookMs = await refused(email);
    if (round >= 0) times[name].push(tookMs);
  }
}
const [known, unknown, again] = [times.known, times.unknown, times.again].map((one) => one.sort((a, b) => a - b));
const at = (values: readonly number[] | undefined, share: number): number =>
  values?.[Math.floor((values.length - 1) * share)] ?? Number.NaN;
const row = (name: string, values: readonly number[] | undefined): string =>
  `  ${name.padEnd(22)} p10 ${at(values, 0.1).toFixed(2)} ms   median ${at(values, 0.5).toFixed(2)} ms   p90 ${at(values, 0.9).toFixed(2)} ms`;
const ratio = (values: readonly number[] | undefined, share: number): string =>
  (at(values, share) / at(known, share)).toFixed(3);

console.log(`\n  Refused log-ins, ${ATTEMPTS} of each kind in turn:\n`);
console.log(row('a known e-mail', known));
console.log(row('an unknown e-mail', unknown));
console.log(row('the known one again', again));
console.log(
  `\n  unknown : known        ratio of the medians ${ratio(unknown, 0.5)}, of the p10 ${ratio(unknown, 0.1)}`,
);
console.log(
  `  known again : known    ratio of the medians ${ratio(again, 0.5)}, of the p10 ${ratio(again, 0.1)} (chance)`,
);
console.log(`  The machine was ${Math.round(busy * 100)} % busy with other things.`);

/** How long a wrong password takes, in ms. */
async function refused(email: string): Promise<number> {
  const body = JSON.stringify({ email, password: 'a-wrong-password' });
  const startedAt = performance.now();
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  await answer.text();
  if (answer.status !== 401) throw new Error(`the log-in answered ${answer.status}`);
  return performance.now() - startedAt;
}
