import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { Application, Model, Page } from '../../app/application.ts';
import { isForList } from '../../parts/commands/command-fields.ts';
import { commandsOf, editingCommand } from '../../parts/commands/editing-command.ts';
import type { ActiveCell } from '../../parts/grid/use-grid-keys.ts';
import { useCellEdits } from '../../parts/grid/use-cell-edits.ts';
import { lazyPart } from '../../parts/loading/lazy-part.tsx';
import type { PageSearch } from '../../parts/records/page-search.ts';
import { useKeys } from '../../ui/use-keys.ts';
import { bulkCommandsOf } from './bulk-commands.ts';
import { FailedRecord } from './FailedRecord.tsx';
import { ListBody } from './ListBody.tsx';
import { ListDialogs, type ListDialog } from './ListDialogs.tsx';
import { ListFoot } from './ListFoot.tsx';
import { ListHead } from './ListHead.tsx';
import { ListTools } from './ListTools.tsx';
import styles from './PageScreen.module.css';
import { useList } from './use-list.ts';

const OpenRecord = lazyPart(() => import('./OpenRecord.tsx'), FailedRecord);

interface RecordListProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
}

/** A page's records, with what can be done above them and the open one beside them. */
export function RecordList({ application, page, model }: RecordListProps) {
  const search = useSearch({ from: '/pages/$pageKey' });
  const navigate = useNavigate({ from: '/pages/$pageKey' });
  const [dialog, setDialog] = useState<ListDialog | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const keyword = useRef<HTMLInputElement>(null);
  const list = useList(application, page, model, search);
  const { records, selection, columns } = list;
  const commandFor = useCallback(
    (code: string) => editingCommand(application, page, model, code),
    [application, page, model],
  );
  const edits = useCellEdits(page, model, commandFor);
  useEffect(() => {
    document.title = `${page.name} · Keelson`;
  }, [page.name]);
  useEffect(() => {
    // A record that is opened is there at once.
    requestIdleCallback(() => void OpenRecord.preload());
  }, []);

  const go = (change: PageSearch) => void navigate({ search: (before) => ({ ...before, ...change }) });
  const creators = commandsOf(application, page).filter(isForList);
  const create = creators[0] && (() => go({ run: creators[0]?.code, open: undefined }));
  const focusList = (open = '') =>
    area.current?.querySelector<HTMLElement>(`[role=grid], [data-pid="${CSS.escape(open)}"]`)?.focus();
  const close = () => {
    go({ open: undefined, tab: undefined, run: undefined });
    focusList(search.open);
  };
  const paste = (text: string, at: ActiveCell) =>
    setDialog({
      kind: 'paste',
      source: {
        text,
        fields: columns.slice(at.column).map(({ field }) => field),
        recordAt: (index) => records.at(at.row + index),
      },
    });
  useKeys({
    '/': () => keyword.current?.focus(),
    '?': () => setDialog({ kind: 'keys' }),
    c: create,
    Escape: search.open !== undefined ? close : selection.size > 0 ? selection.clear : undefined,
  });

  return (
    <div className={styles.screen}>
      <ListHead
        application={application}
        page={page}
        model={model}
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
        onKeys={() => setDialog({ kind: 'keys' })}
      />
      <div className={styles.content} data-open={search.open !== undefined || undefined}>
        <div ref={area} className={styles.list}>
          <ListBody
            application={application}
            page={page}
            model={model}
            list={list}
            edits={edits}
            search={search}
            onChange={go}
            onCreate={create}
            onPaste={paste}
          />
        </div>
        {search.open !== undefined && (
          <Suspense fallback={<section className={styles.panel} />}>
            <OpenRecord
              application={application}
              page={page}
              model={model}
              records={records}
              search={search}
              onChange={go}
              onClose={close}
            />
          </Suspense>
        )}
      </div>
      <ListFoot
        page={page}
        model={model}
        list={list}
        bulkCommands={bulkCommandsOf(application, page)}
        onClear={selection.clear}
        onRun={(bulk) => setDialog(bulk.operation === 'DELETE' ? { kind: 'delete', bulk } : { kind: 'bulk', bulk })}
      />
      <ListDialogs
        application={application}
        page={page}
        model={model}
        created={search.open === undefined ? creators.find(({ code }) => code === search.run) : undefined}
        dialog={dialog}
        selection={selection}
        onCreated={() => go({ run: undefined })}
        onClose={() => {
          setDialog(null);
          focusList();
        }}
      />
    </div>
  );
}
