import type { Scenario } from './scenarios.ts';

export interface Settings {
  /** Length of each measurement: one for each side per round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Names of scenarios; null for all. */
  readonly only: readonly string[] | null;
  /** Whether nothing was shortened, so that the results may be published. */
  readonly complete: boolean;
}

const DEFAULTS = { seconds: 8, rounds: 3 } as const;

/** Reads the URL of a server that run.mjs has started. */
export function requiredUrl(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: this script is a part of npm run bench`);
  return value;
}

/** Reads BENCH_SECONDS, BENCH_ROUNDS and BENCH_ONLY. @throws if one of them is invalid */
export function readSettings(environment: NodeJS.ProcessEnv, scenarios: readonly Scenario[]): Settings {
  const number = (name: string, fallback: number, max: number): number => {
    const value = Number(environment[name] || fallback);
    if (!Number.isInteger(value) || value < 1 || value > max) throw new Error(`${name} must be from 1 to ${max}`);
    return value;
  };
  const seconds = number('BENCH_SECONDS', DEFAULTS.seconds, 600);
  const rounds = number('BENCH_ROUNDS', DEFAULTS.rounds, 99);
  const only = environment.BENCH_ONLY ? environment.BENCH_ONLY.split(',').map((name) => name.trim()) : null;
  const known = scenarios.map(({ name }) => name);
  const unknown = only?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`BENCH_ONLY: ${unknown} is none of ${known.join(', ')}`);
  return { seconds, rounds, only, complete: !only && seconds >= DEFAULTS.seconds && rounds >= DEFAULTS.rounds };
}
