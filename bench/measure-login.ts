import { LOGIN } from './bench-data.ts';
import { busyShare } from './quiet.ts';
import { requiredUrl } from './settings.ts';
import { percentile } from './statistics.ts';

/**
 * Measures whether the time of a refused log-in reveals a known e-mail. Attempts with a known and an unknown
 * e-mail alternate with a second series for the known one, whose ratio to the first shows the noise.
 */
const WARM_UP = 20;
const ATTEMPTS = Number(process.env.BENCH_ATTEMPTS ?? 300);
/** As long as the known one. */
const UNKNOWN = LOGIN.email.replace('.example', '.invalid');
const SERIES = { known: LOGIN.email, unknown: UNKNOWN, again: LOGIN.email } as const;

const url = requiredUrl('BENCH_API_URL');

const times: Record<keyof typeof SERIES, number[]> = { known: [], unknown: [], again: [] };
const busy = await busyShare();
for (let round = -WARM_UP; round < ATTEMPTS; round += 1) {
  const series = Object.entries(SERIES) as [keyof typeof SERIES, string][];
  // The order changes from round to round.
  for (let turn = 0; turn < series.length; turn += 1) {
    const [name, email] = series[(turn + Math.abs(round)) % series.length] as [keyof typeof SERIES, string];
    const tookMs = await refused(email);
    if (round >= 0) times[name].push(tookMs);
  }
}
const { known, unknown, again } = times;
const row = (name: string, values: readonly number[]): string => {
  const [p10, p50, p90] = [0.1, 0.5, 0.9].map((share) => percentile(values, share).toFixed(2));
  return `  ${name.padEnd(22)} p10 ${p10} ms   median ${p50} ms   p90 ${p90} ms`;
};
const ratio = (values: readonly number[], share: number): string =>
  (percentile(values, share) / percentile(known, share)).toFixed(3);

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

/** Milliseconds until a wrong password is refused. */
async function refused(email: string): Promise<number> {
  const body = JSON.stringify({ email, password: 'a-wrong-password' });
  const startedAt = performance.now();
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  await answer.text();
  if (answer.status !== 401) throw new Error(`the log-in returned ${answer.status}`);
  return performance.now() - startedAt;
}
