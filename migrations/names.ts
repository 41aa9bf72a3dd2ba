import { readdirSync } from 'node:fs';

/** `0001_baseline.sql` and the like: the number gives the order. */
const FILE = /^(\d{4}_\w+)\.sql$/;

/** The names of all migrations, in the order in which they run. */
export function migrationNames(): string[] {
  return readdirSync(import.meta.dirname)
    .flatMap((file) => FILE.exec(file)?.[1] ?? [])
    .sort();
}
