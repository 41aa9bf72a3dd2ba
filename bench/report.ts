import { writeFile } from 'node:fs/promises';
import { format } from 'oxfmt';
import { TENANTS } from './bench-data.ts';
import type { Speed } from './http-load.ts';
import type { Machine } from './machine.ts';
import type { Scenario } from './scenarios.ts';
import type { Settings } from './settings.ts';
import { median } from './statistics.ts';

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url);

export interface Measured {
  readonly scenario: Scenario;
  readonly rounds: readonly { readonly ours: Speed; readonly baseline: Speed }[];
}

/** Medians of the rounds. The ratio is the median of the rounds' ratios. */
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

/**
 * Writes docs/benchmarks.md, without date and host: git has the date, and only ratios compare between
 * machines.
 */
export async function writeDocument(
  results: readonly Result[],
  settings: Settings,
  machine: Machine,
  busyBeside: number,
): Promise<void> {
  const text = document(results, settings, machine, busyBeside);
  const { code } = await format(DOCUMENT.pathname, text, { proseWrap: 'always', printWidth: 110 });
  await writeFile(DOCUMENT, code);
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
  const [{ leads }, ...neighbours] = TENANTS;
  const neighbouring = neighbours.reduce((sum, neighbour) => sum + neighbour.leads, 0);
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const others = results.slice(0, 2).map(({ scenario }) => scenario.name);
  return `# Benchmarks

Written by \`npm run bench\`. The ratio is the result: the share of the baseline's speed that the service reaches.
The other numbers depend on the machine.

${table.join('\n')}

Machine: ${cores} cores, ${memoryGiB} GiB of memory, ${platform}. ${named.join(', ')}.
Between measurements ${Math.round(busyBeside * 100)} % of the cores were in use. The idle stack takes up to 3 %; more
disturbed the run.

## How to read it

- Everything, including the load generator, runs on one machine, so both sides share its cores.
- ${rounds} rounds of ${seconds} s for each side after a warm-up, in turn. Speeds are medians of the rounds. The ratio
  is the median of the rounds' ratios, with the lowest and the highest beside it. A failed request, or a status other
  than 2xx, fails the run.
- "At once" is the number of keep-alive connections, each with one request at a time.
- Data: ${inWords(leads)} leads of one tenant, interleaved with ${inWords(neighbouring)} of ${neighbours.length === 1 ? 'another' : `${neighbours.length} others`}. A quarter match
  the filter \`status eq new\`. Lists ask for the newest ten.
- **Ours** is the program as in production, API and worker in one process: token and session check, tenant, current
  metadata, permissions, row-level security, filters compiled from the request, trace id.
- **The baseline of reads** (\`bench/baseline-sql.ts\`) is \`node:http\` and \`pg\` with hand-written, named statements in
  a pool of the same size, without log-in, metadata or row-level security. It returns the same JSON; the run checks
  that. For a total it sends the page's query and \`select count(*)\` at the same time.
- **Totals**: the service caches a total until a record of that model and tenant changes, so it can be faster than the
  baseline, which counts on each request. "Asked for the first time" gives every request a new filter, so no total is
  cached: this is the cost of a list right after a write.
- **The baseline of commands** (\`bench/baseline-workflow.ts\`) is an empty workflow with one empty local activity,
  started eagerly on the same Temporal server, behind a bare \`node:http\`. Ours adds the session check, the claim of the
  idempotency key, a transaction with the record, its change log and its event, and the notification. It responds when
  the transaction has committed; the baseline responds with the workflow's result. Commands that arrive together share
  a workflow ([how](commands.md)), so ours can be faster. At 64 and 256 at once the baseline is the same command with
  \`execution: inline\`, which has no workflow. "Command (workflow)" has \`execution: workflow\`.
- The Temporal server is the dev server on SQLite of \`npm start\`, with the same tuning. A cluster has another ceiling;
  the ratio shows what the service adds.

\`BENCH_ONLY=${others.join(',')} BENCH_SECONDS=3 BENCH_ROUNDS=1 npm run bench\` measures less and does not write this file.
\`PATH="$PWD/node_modules/.bin:$PATH" NODE_OPTIONS="--cpu-prof --cpu-prof-dir=/tmp/profiles" node bench/run.mjs\` writes
a CPU profile of every process.
`;
}

function inWords(count: number): string {
  return count.toLocaleString('en');
}
