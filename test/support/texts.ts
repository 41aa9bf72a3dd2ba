import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { TextTable } from '../../src/foundation/i18n/text-table.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** The texts of all rooms. */
export const TEXTS = await Promise.all(
  globSync('**/*.texts.ts', { cwd: SOURCES }).map(async (file) => {
    const module = (await import(join(SOURCES, file))) as Readonly<Record<string, TextTable>>;
    return Object.values(module)[0] as TextTable;
  }),
);
