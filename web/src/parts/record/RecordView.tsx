import { useQuery } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { nameField, type Application, type Model, type Page } from '../../app/application.ts';
import { shown } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { CommandForm } from '../commands/CommandForm.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FailedRead } from '../notices/FailedRead.tsx';
import { RECORD_TABS, type RecordTab } from '../records/page-search.ts';
import { NewerNote } from './NewerNote.tsx';
import { RecordActions } from './RecordActions.tsx';
import { RecordFields } from './RecordFields.tsx';
import { RecordRelated } from './RecordRelated.tsx';
import { RecordHistory } from './RecordHistory.tsx';
import { recordQuery } from './record-query.ts';
import styles from './RecordView.module.css';
import { undoOfUpdate } from './undo.ts';
import { useNewerVersion } from './use-newer-version.ts';

const TAB_NAMES: Readonly<Record<RecordTab, TextKey>> = { fields: 'Fields', related: 'Related', history: 'History' };

interface RecordViewProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly pid: string;
  readonly tab: RecordTab;
  /** Code of the command whose form is open. */
  readonly run: string | undefined;
  readonly onTab: (tab: RecordTab) => void;
  readonly onRun: (code: string | undefined) => void;
  /** The record is no more. */
  readonly onGone: () => void;
  /** It is the whole screen, and not a part of one. */
  readonly isScreen?: boolean;
  /** Buttons at the right of the title. */
  readonly children?: ReactNode;
}

/** A record: its fields, its history, and what can be done with it. */
export function RecordView(props: RecordViewProps) {
  const { application, page, model, pid, tab, run, onTab, onRun, onGone, isScreen = false, children } = props;
  const Title = isScreen ? 'h1' : 'h2';
  const { pageKey } = page;
  const { data: record, error, refetch } = useQuery(recordQuery(pageKey, model, pid));
  const { data: me } = useQuery(meQuery);
  const newer = useNewerVersion(pageKey, pid, record);
  const command = application.commands.find(({ code }) => code === run);
  const name = record ? textOf(record[nameField(model)]) : '';
  const head = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const focusOpener = () => {
    const find = (selector: string) => head.current?.querySelector<HTMLElement>(selector);
    (find(`[data-run="${CSS.escape(run ?? '')}"]`) ?? find('[aria-haspopup=menu]'))?.focus();
  };
  return (
    <div className={styles.view}>
      <header ref={head} className={styles.head}>
        <Title className={styles.title} title={name}>
          {name || ' '}
        </Title>
        {record && (
          <RecordActions
            application={application}
            page={page}
            model={model}
            record={record}
            onRun={onRun}
            onGone={onGone}
          />
        )}
        {children}
      </header>
      <div className={styles.tabs} role="tablist" aria-label={t('Parts of the record')}>
        {RECORD_TABS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={one === tab}
            aria-controls="tab-panel"
            className={styles.tab}
            onClick={() => onTab(one)}
          >
            {t(TAB_NAMES[one])}
          </button>
        ))}
      </div>
      <div
        ref={body}
        className={styles.body}
        role="tabpanel"
        id="tab-panel"
        aria-labelledby={`tab-${tab}`}
        tabIndex={0}
      >
        {newer && <NewerNote pageKey={pageKey} newer={newer} />}
        {/* What is there stays, with what is typed into its form. */}
        {error && record && <FailedRead error={error} onRetry={() => void refetch()} />}
        {error && !record ? (
          <Blank title={shown(error).title} advice={shown(error).advice}>
            <Button onClick={() => void refetch()}>{t('Try again')}</Button>
          </Blank>
        ) : !record ? (
          <div className={styles.loading}>
            {[70, 45, 60, 52, 66].map((width) => (
              <Skeleton key={width} width={width} />
            ))}
          </div>
        ) : tab === 'related' ? (
          <RecordRelated application={application} page={page} model={model} pid={pid} />
        ) : tab === 'history' ? (
          <RecordHistory pageKey={pageKey} model={model} pid={pid} />
        ) : command ? (
          <CommandForm
            key={command.code + pid}
            page={page}
            model={model}
            command={command}
            record={record}
            onCancel={() => {
              onRun(undefined);
              focusOpener();
            }}
            onDone={() => {
              const isUpdate = command.operations.includes('UPDATE');
              say(
                t('{name}: done', { name: command.name }),
                isUpdate ? undoOfUpdate(me, model, pageKey, record) : undefined,
              );
              onRun(undefined);
              // What opened it may not be allowed any more.
              body.current?.focus();
            }}
          />
        ) : (
          <RecordFields application={application} page={page} model={model} record={record} />
        )}
      </div>
    </div>
  );
}
