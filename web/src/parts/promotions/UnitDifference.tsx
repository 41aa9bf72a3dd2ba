import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { CodeDifference } from './CodeDifference.tsx';
import { contentDifferences } from './content-differences.ts';
import { FieldDifferences } from './FieldDifferences.tsx';
import { kindName, markOf } from './promotion-words.ts';
import { changeQuery, type ChangeDetails } from './promotions-query.ts';
import { TablePreview } from './TablePreview.tsx';
import styles from './UnitDifference.module.css';

interface UnitDifferenceProps {
  readonly promotionPid: string;
  readonly resourcePid: string;
}

/** One resource, before and after: by field or by line, with what becomes of its table. */
export function UnitDifference({ promotionPid, resourcePid }: UnitDifferenceProps) {
  const { data: change, error, refetch } = useQuery(changeQuery(promotionPid, resourcePid));
  if (error) {
    const { title, advice, traceId } = shown(error);
    return (
      <Problem title={title} advice={advice} traceId={traceId}>
        <Button onClick={() => void refetch()}>{t('Try again')}</Button>
      </Problem>
    );
  }
  if (!change) {
    return (
      <div className={styles.waiting}>
        <Skeleton width={40} />
        <Skeleton width={80} />
        <Skeleton width={60} />
      </div>
    );
  }
  return <Shown change={change} />;
}

function Shown({ change }: { readonly change: ChangeDetails }) {
  const [isCode, setCode] = useState(false);
  const { resourceType, code, renamedFrom, sourceVersion, targetVersion, before, after, table, changedSince } = change;
  const versions = [targetVersion, sourceVersion].map((version) => (version === null ? '–' : `v${version}`));
  return (
    <article className={styles.unit} aria-label={code}>
      <header className={styles.head}>
        <h2>{code}</h2>
        <p>
          {kindName(resourceType)} · {markOf(change)} · {versions.join(' → ')}
          {renamedFrom !== undefined && ` · ${t('was called {name}', { name: renamedFrom })}`}
        </p>
        <div className={styles.ways} role="group" aria-label={t('How it is shown')}>
          <Button aria-pressed={!isCode} onClick={() => setCode(false)}>
            {t('By field')}
          </Button>
          <Button aria-pressed={isCode} onClick={() => setCode(true)}>
            {t('By line')}
          </Button>
        </div>
      </header>
      {changedSince && <p className={styles.since}>{t('It has changed since the plan was sealed.')}</p>}
      {isCode ? (
        <CodeDifference before={codeOf(before)} after={codeOf(after)} />
      ) : (
        <FieldDifferences differences={contentDifferences(before ?? {}, after ?? {})} action={change.action} />
      )}
      {table && <TablePreview table={table} />}
    </article>
  );
}

function codeOf(content: object | null): string {
  return content === null ? '' : JSON.stringify(content, null, 2);
}
