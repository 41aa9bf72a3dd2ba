import type { Page } from '../../app/application.ts';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Cards } from '../../parts/grid/Cards.tsx';
import type { GridColumn } from '../../parts/grid/grid-column.ts';
import { Grid } from '../../parts/grid/Grid.tsx';
import { nextSort } from '../../parts/grid/sort-order.ts';
import type { PageSearch } from '../../parts/records/page-search.ts';
import type { Records, RowRange } from '../../parts/records/use-records.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';

interface ListBodyProps {
  readonly page: Page;
  readonly columns: readonly GridColumn[];
  readonly records: Records;
  readonly selected: ReadonlySet<string>;
  readonly search: PageSearch;
  readonly onRange: (range: RowRange) => void;
  readonly onSelect: (pid: string) => void;
  readonly onChange: (change: PageSearch) => void;
  readonly onCreate: (() => void) | undefined;
}

/** The rows, or why there are none. */
export function ListBody(props: ListBodyProps) {
  const { page, columns, records, selected, search, onRange, onSelect, onChange, onCreate } = props;
  const isPhone = useMedia(PHONE);
  const isNarrowed = search.f !== undefined || search.q !== undefined || search.sort !== undefined;
  if (records.error) {
    const { title, advice } = shown(records.error);
    return (
      <Blank title={title} advice={advice}>
        <Button look="primary" onClick={records.reload}>
          {t('Try again')}
        </Button>
        {isNarrowed && (
          <Button onClick={() => onChange({ f: undefined, q: undefined, sort: undefined })}>
            {t('Remove the filters')}
          </Button>
        )}
      </Blank>
    );
  }
  if (records.total === 0) {
    return search.f !== undefined || search.q !== undefined ? (
      <Blank title={t('Nothing is found')} advice={t('No record of this page has all of this.')}>
        <Button onClick={() => onChange({ f: undefined, q: undefined })}>{t('Remove the filters')}</Button>
      </Blank>
    ) : (
      <Blank title={t('There is nothing on this page yet')} advice={t('What is created here appears in this list.')}>
        {onCreate && (
          <Button look="primary" onClick={onCreate}>
            {t('Create the first record')}
          </Button>
        )}
      </Blank>
    );
  }
  const common = { label: page.name, columns, records, onRange };
  const open = ({ pid }: { readonly pid: string }) => onChange({ open: pid, run: undefined });
  if (isPhone) return <Cards {...common} onOpen={open} />;
  return (
    <Grid
      {...common}
      selected={selected}
      openPid={search.open}
      sort={search.sort}
      onSelect={onSelect}
      onOpen={open}
      onSort={(code) => onChange({ sort: nextSort(search.sort, code) })}
    />
  );
}
