import { DECLARATIONS } from '../../src/application.ts';
import { OFFLINE_TEXTS, offlineChangeSets } from '../../src/offline.ts';
import type { TextTable } from '../../src/foundation/i18n/text-table.ts';
import { TEXTS } from '../support/texts.ts';

describe('checks of files', () => {
  it('know the types of resources that the features declare', () => {
    const declared = DECLARATIONS.flatMap(
      ({ resourceTypes }) => resourceTypes?.({ database: null, outbound: null }) ?? [],
    );

    expect(offlineChangeSets().types.names.toSorted()).toEqual(declared.map(({ name }) => name).sort());
  });

  it('know the texts that the features declare, and these are all that there are', () => {
    const keys = (tables: readonly TextTable[]): string[] => tables.flatMap((table) => Object.keys(table)).sort();
    const declared = DECLARATIONS.flatMap(({ texts = [] }) => texts);

    expect(keys(OFFLINE_TEXTS)).toEqual(keys(declared));
    expect(keys(declared)).toEqual(keys(TEXTS));
  });
});
