import { isBuiltin } from 'node:module';
import { build } from 'esbuild';
import { DECLARATIONS } from '../../src/application.ts';
import { OFFLINE_TEXTS } from '../../src/offline-texts.ts';
import { offlineResourceChecks } from '../../src/offline.ts';
import type { TextTable } from '../../src/foundation/i18n/text-table.ts';
import { TEXTS } from '../support/texts.ts';

describe('checks of files', () => {
  it('know the types of resources that the features declare', () => {
    const declared = DECLARATIONS.flatMap(
      ({ resourceTypes }) => resourceTypes?.({ database: null, outbound: null }) ?? [],
    );

    expect(offlineResourceChecks().types.names.toSorted()).toEqual(declared.map(({ name }) => name).sort());
  });

  it('know the texts that the features declare, and these are all that there are', () => {
    const keys = (tables: readonly TextTable[]): string[] => tables.flatMap((table) => Object.keys(table)).sort();
    const declared = DECLARATIONS.flatMap(({ texts = [] }) => texts);

    expect(keys(OFFLINE_TEXTS)).toEqual(keys(declared));
    expect(keys(declared)).toEqual(keys(TEXTS));
  });

  it('reach no library of the server', async () => {
    const { metafile } = await build({
      entryPoints: [new URL('../../src/offline.ts', import.meta.url).pathname],
      bundle: true,
      write: false,
      packages: 'external',
      platform: 'node',
      metafile: true,
    });

    const imports = Object.values(metafile.inputs).flatMap((file) => file.imports);
    const libraries = new Set(imports.flatMap(({ path, external }) => (external && !isBuiltin(path) ? [path] : [])));
    expect([...libraries].sort()).toEqual([
      '@formatjs/intl-localematcher',
      '@marcbachmann/cel-js',
      'ajv-formats',
      'ajv/dist/2020.js',
      'libpg-query',
      'lru-cache',
      're2js',
      'typebox',
      'ulid',
    ]);
  });
});
