import { readFileSync } from 'node:fs';
import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { migrationNames } from './names.ts';

/** All migrations of this folder in the order in which they run. Each runs in one transaction. */
export function readMigrations(): MigrationObject[] {
  return migrationNames().map((name) => ({ name, class: sqlMigration(`${name}.sql`) }));
}

function sqlMigration(file: string) {
  return class extends Migration {
    override up(): void {
      this.addSql(readFileSync(new URL(file, import.meta.url), 'utf8'));
    }
  };
}
