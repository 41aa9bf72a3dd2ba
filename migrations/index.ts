import { readdirSync } from 'node:fs';
import type { Migration } from '@mikro-orm/migrations';

/** `0042_imports.ts` and the like: the number gives the order. */
const FILE = /^(\d{4}_\w+)\.ts$/;

interface MigrationFile {
  readonly name: string;
  readonly class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
}

/**
 * All migrations of this folder in the order in which they run. Each file exports its class alone. A
 * migration that has been released is never edited.
 */
export function readMigrations(): Promise<MigrationFile[]> {
  const names = readdirSync(import.meta.dirname).flatMap((file) => FILE.exec(file)?.[1] ?? []);
  return Promise.all(
    names.sort().map(async (name) => {
      const [found] = Object.values((await import(`./${name}.ts`)) as Record<string, MigrationFile['class']>);
      if (!found) throw new Error(`migrations/${name}.ts exports no migration`);
      return { name, class: found };
    }),
  );
}
