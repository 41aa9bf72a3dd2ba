import { writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { TENANTS } from './bench-data.ts';
import type { Speed } from './http-load.ts';
import type { Machine } from './machine.ts';
import type { Scenario } from './scenarios.ts';
import type { Settings } from './settings.ts';

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url);

export interface Measured {
  readonly scenario: Scenario;
  readonly rounds: readonly { readonly ours: Speed; readonly baseline: Speed }[];
}

/** Medians of the rounds; the ratio is the median of the rounds' own ratios. */
export interface Result {
  readonly scenario: Scenario;
  readonly ours: Speed;
  readonly baseline: Speed;
  readonly ratio: number;
  readonly lowestRatio: number;
  readonly highestRatio: number;
}

export function summarise({ scenario, rounds }: Measured): Result {
  const ratios = rounds.map(({ ours, baseline }) => ours.requestsPerSecond / baseline.requestsPerSecond);
  return {
    scenario,
    ours: medianSpeed(rounds.map(({ ours }) => ours)),
    baseline: medianSpeed(rounds.map(({ baseline }) => baseline)),
    ratio: median(ratios),
    lowestRatio: Math.min(...ratios),
    highestRatio: Math.max(...ratios),
  };
}

function medianSpeed(speeds: readonly Speed[]): Speed {
  const of = (name: keyof Speed): number => median(speeds.map((speed) => speed[name]));
  return { requestsPerSecond: of('requestsPerSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

const HEAD = [
  '',
  'at once',
  'req/s',
  'p50 ms',
  'p99 ms',
  'baseline req/s',
  'p50 ms',
  'p99 ms',
  'ratio',
  '(rounds)',
  'target',
];

function cells({ scenario, ours, baseline, ratio, lowestRatio, highestRatio }: Result): string[] {
  const speed = ({ requestsPerSecond, p50Ms, p99Ms }: Speed): string[] => [
    requestsPerSecond.toFixed(requestsPerSecond < 1_000 ? 1 : 0),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ];
  const { title, connections, target } = scenario;
  const range = `${lowestRatio.toFixed(2)} to ${highestRatio.toFixed(2)}`;
  const goal = target === null ? '' : `${target.toFixed(2)} ${ratio >= target ? 'met' : 'MISSED'}`;
  return [title, String(connections), ...speed(ours), ...speed(baseline), ratio.toFixed(2), range, goal];
}

export function printTable(results: readonly Result[]): void {
  const rows = [HEAD, ...results.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  console.log('');
  for (const row of rows) {
    const padded = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(`  ${padded.join('  ')}`);
  }
}

/** Writes docs/benchmarks.md. It names no date and no host: git knows when, and ratios travel better than numbers. */
export async function writeDocument(
  results: readonly Result[],
  settings: Settings,
  machine: Machine,
  busyBeside: number,
): Promise<void> {
  const text = document(results, settings, machine, busyBeside);
  const options = await resolveConfig(DOCUMENT);
  await writeFile(DOCUMENT, await format(text, { ...options, parser: 'markdown' }));
  console.log('\n  Written to docs/benchmarks.md.');
}

function document(
  results: readonly Result[],
  { rounds, seconds }: Settings,
  machine: Machine,
  busyBeside: number,
): string {
  const { cores, memoryGiB, platform, versions } = machine;
  const row = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
  const table = [
    row(HEAD),
    row(HEAD.map((_, column) => (column === 0 ? ':--' : '--:'))),
    ...results.map(cells).map(row),
  ];
  const [{ leads }, neighbour] = TENANTS;
  return `# Benchmarks

Written by \`npm run bench\`. The ratio is the result: how much of the bare tools' speed is left when the service does
everything it does. The other numbers depend on the machine.

${table.join('\n')}

Machine: ${cores} cores, ${memoryGiB} GiB of memory, ${platform}. ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.
While nothing was being measured, ${Math.round(busyBeside * 100)} % of the cores were in use: the idle stack takes up to 3 %, whatever is above that
disturbed the run.

## How to read it

- Everything runs on the one machine, load generator included, so both sides share its cores with it.
- ${rounds} rounds of ${seconds} s for each side after a warm-up, the sides taking turns. Speeds are medians of the rounds; the ratio is the median
  of each round's own ratio, with the lowest and the highest beside it. A request that fails, or answers something else
  than 2xx, fails the run.
- "At once" is the number of keep-alive connections, each with one request at a time.
- Data: ${leads.toLocaleString('en')} leads of one tenant, a quarter of which match the filter \`status eq new\`, with ${neighbour.leads.toLocaleString('en')} of another tenant between
  them. Lists ask for the newest ten.
- **Ours** is the program as production runs it, API and worker in one process: token and session check, tenant, current
  metadata, permissions, row-level security, filters compiled from the request, trace id.
- **The baseline of the reads** (\`bench/baseline-sql.ts\`) is \`node:http\` and \`pg\` with hand-written statements, prepared under
  a name, in a pool of the same size, without log-in, metadata or row-level security. It answers the same JSON; the run
  checks that. With a total it sends the page's query and \`select count(*)\` at the same time.
- **Totals**: the service counts once and keeps the total until a record of that model and tenant changes, which is why it
  can be faster than the baseline, which counts with each request. "Asked for the first time" gives every request a filter
  of its own, so nothing can be kept: that is what a list costs right after a write.
- **The baseline of commands** (\`bench/baseline-workflow.ts\`) is an empty workflow with one empty local activity, started eagerly
  on the same Temporal server, behind a bare \`node:http\`. Ours adds the log-in, the claim of the idempotency key, a
  transaction with the record, its change log and its event, and the wake-up call; it answers when the transaction has
  committed, while the baseline answers with the workflow's result.
- The Temporal server is the dev server on SQLite that \`npm start\` brings up, tuned the same way. A cluster has another ceiling;
  the ratio says what the service adds to it.

\`BENCH_ONLY=${results
    .slice(0, 2)
    .map(({ scenario }) => scenario.name)
    .join(',')} BENCH_SECONDS=3 BENCH_ROUNDS=1 npm run bench\` measures less and leaves this file alone.
\`PATH="$PWD/node_modules/.bin:$PATH" NODE_OPTIONS="--cpu-prof --cpu-prof-dir=/tmp/profiles" node bench/run.mjs\` writes a CPU
profile of every process, too.
`;
}
