import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { plural, t, type TextKey } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { applicationsQuery, driftQuery } from './environments-query.ts';
import styles from './environments.module.css';

/** The applications of an environment, and how each differs from its files. */
export function Applications({ environment }: { readonly environment: string }) {
  const { data } = useQuery(applicationsQuery(environment));
  return (
    <section className={styles.part} aria-label={t('Applications')}>
      <header>
        <h2>{t('Applications')}</h2>
      </header>
      {!data && <Skeleton width={60} />}
      {data?.length === 0 && <p className={styles.none}>{t('No resource here belongs to an application.')}</p>}
      <ul className={styles.list}>
        {data?.map(({ application, resources, files }) => (
          <li key={application}>
            <span className={styles.name}>
              <strong>{application}</strong>
              <span>{plural(resources, '{count} resource', '{count} resources')}</span>
            </span>
            {files === null ? (
              <span className={styles.note}>{t('not from files')}</span>
            ) : (
              <>
                <span className={styles.note}>
                  {files.appliedByName} ·{' '}
                  <time dateTime={files.appliedAt} title={formatWholeMoment(files.appliedAt)}>
                    {formatMoment(files.appliedAt)}
                  </time>
                </span>
                <Drift environment={environment} application={application} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const CHANGES: Readonly<Record<'ADDED' | 'CHANGED' | 'REMOVED', TextKey>> = {
  ADDED: 'added',
  CHANGED: 'changed',
  REMOVED: 'removed',
};

/** What is no longer as the files said, and whose doing that is. */
function Drift({ environment, application }: { readonly environment: string; readonly application: string }) {
  const { data } = useQuery(driftQuery(environment, application));
  const [isOpen, setOpen] = useState(false);
  if (!data) return <Skeleton width={20} />;
  const { resources } = data;
  if (resources.length === 0) return <StatusMark tone="good">{t('As its files')}</StatusMark>;
  return (
    <>
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <StatusMark tone="waiting">
          {plural(
            resources.length,
            '{count} resource differs from its files',
            '{count} resources differ from their files',
          )}
        </StatusMark>
      </Button>
      {isOpen && (
        <ul className={styles.drift}>
          {resources.map(({ resourceType, code, change, byName, by, at }) => (
            <li key={`${resourceType} ${code}`}>
              {resourceType} <strong>{code}</strong> {t(CHANGES[change])} · {byName ?? by ?? '–'} ·{' '}
              <time dateTime={at} title={formatWholeMoment(at)}>
                {formatMoment(at)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
