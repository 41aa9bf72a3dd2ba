import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Application, Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { RecordView } from '../../parts/record/RecordView.tsx';
import type { PageSearch } from '../../parts/records/page-search.ts';
import type { Records } from '../../parts/records/use-records.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import styles from './PageScreen.module.css';

interface OpenRecordProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly records: Records;
  readonly search: PageSearch;
  readonly onChange: (change: PageSearch) => void;
  readonly onClose: () => void;
}

/** The open record beside its list: `j` and `k` go on without closing it. */
export default function OpenRecord({ application, page, model, records, search, onChange, onClose }: OpenRecordProps) {
  const panel = useRef<HTMLElement>(null);
  const { open = '', tab = 'fields', run } = search;
  useEffect(() => panel.current?.focus(), []);
  const step = (by: number) => () => {
    const at = Array.from({ length: records.total ?? 0 }).findIndex((_, index) => records.at(index)?.pid === open);
    const next = at === -1 ? undefined : records.at(at + by);
    if (next) onChange({ open: next.pid, run: undefined });
  };
  useKeys({
    j: step(1),
    k: step(-1),
    e: () => panel.current?.querySelector<HTMLElement>('[data-key=e]')?.click(),
  });
  return (
    <section ref={panel} className={styles.panel} tabIndex={-1} aria-label={t('Open record')}>
      <RecordView
        key={open}
        application={application}
        page={page}
        model={model}
        pid={open}
        tab={tab}
        run={run}
        onTab={(next) => onChange({ tab: next, run: undefined })}
        onRun={(code) => onChange({ run: code, tab: undefined })}
        onGone={onClose}
      >
        <Link
          to="/pages/$pageKey/$pid"
          params={{ pageKey: page.pageKey, pid: open }}
          className={styles.expand}
          aria-label={t('Open as a page')}
          title={t('Open as a page')}
        >
          <Icon name="expand" />
        </Link>
        <Button look="plain" label={t('Close')} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </RecordView>
    </section>
  );
}
