import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { findModel } from '../../app/application.ts';
import { applicationQuery } from '../../app/queries.ts';
import { RecordView } from '../../parts/record/RecordView.tsx';
import type { PageSearch } from '../../parts/records/page-search.ts';
import { Icon } from '../../ui/Icon.tsx';
import { LostScreen } from '../start/LostScreen.tsx';
import styles from './RecordScreen.module.css';

/** A record by its own address. */
export function RecordScreen() {
  const { pageKey, pid } = useParams({ from: '/pages/$pageKey/$pid' });
  const { tab = 'fields', run } = useSearch({ from: '/pages/$pageKey/$pid' });
  const navigate = useNavigate({ from: '/pages/$pageKey/$pid' });
  const { data } = useSuspenseQuery(applicationQuery);
  const page = data.pages.find((one) => one.pageKey === pageKey);
  const model = page && findModel(data, page.modelCode);
  useEffect(() => {
    document.title = `${page?.name ?? ''} · Keelson`;
  }, [page?.name]);
  if (!page || !model) return <LostScreen />;
  const go = (change: PageSearch) => void navigate({ search: (before) => ({ ...before, ...change }) });
  return (
    <div className={styles.screen}>
      <p className={styles.back}>
        <Link to="/pages/$pageKey" params={{ pageKey }}>
          <Icon name="back" />
          {page.name}
        </Link>
      </p>
      <div className={styles.record}>
        <RecordView
          key={pid}
          isScreen
          application={data}
          page={page}
          model={model}
          pid={pid}
          tab={tab}
          run={run}
          onTab={(next) => go({ tab: next, run: undefined })}
          onRun={(code) => go({ run: code, tab: undefined })}
          onGone={() => void navigate({ to: '/pages/$pageKey', params: { pageKey }, search: {} })}
        />
      </div>
    </div>
  );
}
