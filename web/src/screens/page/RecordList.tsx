import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { nameField, type Application, type Model, type Page } from '../../app/application.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { isForList } from '../../parts/commands/command-fields.ts';
import { columnsOf, type GridColumn } from '../../parts/grid/grid-column.ts';
import { parseSort } from '../../parts/grid/sort-order.ts';
import { undoOfDelete } from '../../parts/record/undo.ts';
import type { PageSearch } from '../../parts/records/page-search.ts';
import type { ListRequest } from '../../parts/records/record-list.ts';
import { useRecords } from '../../parts/records/use-records.ts';
import { useKeys } from '../../ui/use-keys.ts';
import { ListBody } from './ListBody.tsx';
import { ListFoot } from './ListFoot.tsx';
import { ListHead } from './ListHead.tsx';
import { ListTools } from './ListTools.tsx';
import { OpenRecord } from './OpenRecord.tsx';
import styles from './PageScreen.module.css';

const CommandDialog = lazy(() => import('../../parts/commands/CommandDialog.tsx'));
const DeleteDialog = lazy(() => import('../../parts/commands/DeleteDialog.tsx'));
const KeysDialog = lazy(() => import('./KeysDialog.tsx'));

/** Paths that one list may expand. */
const MAX_EXPANSIONS = 5;

interface RecordListProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
}

/** A page's records, with what can be done above them and the open one beside them. */
export function RecordList({ application, page, model }: RecordListProps) {
  const search = useSearch({ from: '/pages/$pageKey' });
  const navigate = useNavigate({ from: '/pages/$pageKey' });
  const { data: me } = useQuery(meQuery);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<'delete' | 'keys' | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const keyword = useRef<HTMLInputElement>(null);
  const columns = useMemo(() => columnsOf(page, model, search.cols), [page, model, search.cols]);
  const records = useRecords(requestOf(page, model, columns, search), range);
  const toggle = useCallback((pid: string) => {
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(pid)) after.add(pid);
      return after;
    });
  }, []);
  useEffect(() => {
    document.title = `${page.name} · Keelson`;
  }, [page.name]);

  const go = (change: PageSearch) => void navigate({ search: (before) => ({ ...before, ...change }) });
  const commands = application.commands.filter(({ code }) => page.commands.includes(code));
  const creators = commands.filter(isForList);
  const created = creators.find(({ code }) => code === search.run);
  const deleter = commands.find(({ operations }) => operations.includes('DELETE'));
  const close = () => {
    go({ open: undefined, tab: undefined, run: undefined });
    list.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  useKeys({
    '/': () => keyword.current?.focus(),
    '?': () => setDialog('keys'),
    c: creators[0] && (() => go({ run: creators[0]?.code })),
    Escape: search.open === undefined ? undefined : close,
  });

  return (
    <div className={styles.screen}>
      <ListHead
        application={application}
        page={page}
        creators={creators}
        onRun={(code) => go({ run: code, open: undefined })}
      />
      <ListTools
        page={page}
        model={model}
        search={search}
        keyword={keyword}
        onChange={go}
        onShow={(next) => void navigate({ search: next })}
        onKeys={() => setDialog('keys')}
      />
      <div className={styles.content} data-open={search.open !== undefined || undefined}>
        <div ref={list} className={styles.list}>
          <ListBody
            page={page}
            columns={columns}
            records={records}
            selected={selected}
            search={search}
            onRange={setRange}
            onSelect={toggle}
            onChange={go}
            onCreate={creators[0] && (() => go({ run: creators[0]?.code }))}
          />
        </div>
        {search.open !== undefined && (
          <OpenRecord
            application={application}
            page={page}
            model={model}
            records={records}
            search={search}
            onChange={go}
            onClose={close}
          />
        )}
      </div>
      <ListFoot
        total={records.total}
        selected={selected.size}
        onClear={() => setSelected(new Set())}
        onDelete={deleter && (() => setDialog('delete'))}
      />
      <Suspense>
        {created && search.open === undefined && (
          <CommandDialog
            page={page}
            model={model}
            command={created}
            record={null}
            onClose={() => go({ run: undefined })}
            onDone={() => {
              go({ run: undefined });
              say(t('{name}: done', { name: created.name }));
            }}
          />
        )}
        {dialog === 'delete' && deleter && (
          <DeleteDialog
            page={page}
            command={deleter}
            pids={[...selected]}
            onClose={() => setDialog(null)}
            onDone={(pids) => {
              setDialog(null);
              setSelected(new Set());
              const text = plural(pids.length, '{count} record deleted', '{count} records deleted');
              say(text, undoOfDelete(me, model, page.pageKey, pids));
            }}
          />
        )}
        {dialog === 'keys' && <KeysDialog onClose={() => setDialog(null)} />}
      </Suspense>
    </div>
  );
}

function requestOf(page: Page, model: Model, columns: readonly GridColumn[], search: PageSearch): ListRequest {
  const related = columns.filter(({ field }) => field.target !== undefined || field.type === 'user');
  return {
    pageKey: page.pageKey,
    fields: [...new Set([nameField(model), ...columns.map(({ code }) => code)])],
    expand: related.slice(0, MAX_EXPANSIONS).map(({ code }) => code),
    conditions: search.f ?? [],
    keyword: search.q ?? '',
    sortFields: parseSort(search.sort),
  };
}
