import { Suspense } from 'react';
import type { Application, Model, Page, RecordData } from '../../app/application.ts';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Cards } from '../../parts/grid/Cards.tsx';
import { boundedWidth } from '../../parts/grid/grid-column.ts';
import { Grid } from '../../parts/grid/Grid.tsx';
import { nextSort, writeSort } from '../../parts/grid/sort-order.ts';
import type { CellEdits } from '../../parts/grid/use-cell-edits.ts';
import type { ActiveCell } from '../../parts/grid/use-grid-keys.ts';
import type { PageSearch } from '../../parts/records/page-search.ts';
import { parsePairs, writePairs } from '../../parts/records/pairs.ts';
import { findShape } from '../../parts/shapes/shapes.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import type { useList } from './use-list.ts';

interface ListBodyProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly list: ReturnType<typeof useList>;
  readonly edits: CellEdits;
  readonly search: PageSearch;
  readonly onChange: (change: PageSearch) => void;
  readonly onCreate: (() => void) | undefined;
  readonly onPaste: (text: string, at: ActiveCell) => void;
}

/** The rows, or why there are none. */
export function ListBody(props: ListBodyProps) {
  const { page, list, edits, search, onChange, onCreate, onPaste } = props;
  const { columns, records, groups, selection, figures, totals, setRange } = list;
  const isPhone = useMedia(PHONE);
  if (records.error) return <Failed error={records.error} {...props} />;
  if (records.total === 0) return <Empty search={search} onChange={onChange} onCreate={onCreate} />;
  const open = ({ pid }: RecordData) => onChange({ open: pid, run: undefined });
  const common = { label: page.name, columns, records, selection, onRange: setRange, onOpen: open };
  const shape = findShape(search.shape, props.model);
  if (shape) {
    const { application, model } = props;
    const own = { application, page, model, search, request: list.request, onChange, onOpen: open };
    return (
      <Suspense fallback={null}>
        <shape.Body {...own} />
      </Suspense>
    );
  }
  const usual = writeSort(page.sortFields);
  if (isPhone) return <Cards {...common} onToggleGroup={groups.toggle} />;
  return (
    <Grid
      {...common}
      pageKey={page.pageKey}
      edits={edits}
      figures={figures}
      totals={totals}
      openPid={search.open}
      sort={search.sort ?? (search.group === undefined ? usual : undefined)}
      isRoomy={search.rows === 'roomy'}
      onSort={(code) => onChange({ sort: nextSort(search.sort, code, usual) })}
      onOrder={(cols) => onChange({ cols })}
      onWidth={(code, width) =>
        onChange({ widths: writePairs(new Map([...parsePairs(search.widths), [code, String(boundedWidth(width))]])) })
      }
      onFigure={(code, kind) =>
        onChange({ figures: writePairs(new Map([...parsePairs(search.figures), [code, kind]])) })
      }
      onToggleGroup={groups.toggle}
      onPaste={onPaste}
    />
  );
}

function Failed({ error, list, search, onChange }: ListBodyProps & { readonly error: Error }) {
  const { title, advice } = shown(error);
  const isNarrowed = [search.f, search.q, search.sort, search.group].some((part) => part !== undefined);
  return (
    <Blank title={title} advice={advice}>
      <Button look="primary" onClick={list.records.reload}>
        {t('Try again')}
      </Button>
      {isNarrowed && (
        <Button onClick={() => onChange({ f: undefined, q: undefined, sort: undefined, group: undefined })}>
          {t('Remove the filters')}
        </Button>
      )}
    </Blank>
  );
}

function Empty({ search, onChange, onCreate }: Pick<ListBodyProps, 'search' | 'onChange' | 'onCreate'>) {
  if (search.f !== undefined || search.q !== undefined) {
    return (
      <Blank title={t('Nothing is found')} advice={t('No record of this page has all of this.')}>
        <Button onClick={() => onChange({ f: undefined, q: undefined })}>{t('Remove the filters')}</Button>
      </Blank>
    );
  }
  return (
    <Blank title={t('There is nothing on this page yet')} advice={t('What is created here appears in this list.')}>
      {onCreate && (
        <Button look="primary" onClick={onCreate}>
          {t('Create the first record')}
        </Button>
      )}
    </Blank>
  );
}
