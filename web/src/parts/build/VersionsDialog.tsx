import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { CodeDifference } from '../promotions/CodeDifference.tsx';
import { Moment } from '../operate/Moment.tsx';
import { versionsQuery, type Version } from './build-query.ts';
import type { JsonSchema } from './json-schema.ts';
import styles from './VersionsDialog.module.css';
import { writeYaml } from './yaml-text.ts';

interface VersionsDialogProps {
  readonly pid: string;
  readonly schema: JsonSchema;
  /** The text as it is in the editor. */
  readonly text: string;
  readonly onRestore: (text: string) => void;
  readonly onClose: () => void;
}

/** What a resource was, version by version, against what is in the editor; each comes back as a draft. */
export function VersionsDialog({ pid, schema, text, onRestore, onClose }: VersionsDialogProps) {
  const { data: versions, error, refetch } = useQuery(versionsQuery(pid));
  const [chosen, setChosen] = useState(0);
  const problem = error && shown(error);
  const version = versions?.[chosen];
  const former = version?.content ? writeYaml(version.content, schema) : '';
  return (
    <Dialog
      title={t('Versions')}
      size="wide"
      onClose={onClose}
      actions={
        version?.content && (
          <Button look="primary" disabled={former === text} onClick={() => onRestore(former)}>
            {t('Put version {version} into the editor', { version: version.version })}
          </Button>
        )
      }
    >
      {problem && (
        <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId}>
          <Button onClick={() => void refetch()}>{t('Try again')}</Button>
        </Problem>
      )}
      {!versions && !problem && <Skeleton width={60} />}
      {versions && (
        <div className={styles.versions}>
          <ul aria-label={t('Versions')}>
            {versions.map((one, index) => (
              <li key={`${one.version} ${one.updatedAt}`}>
                <OneVersion version={one} isChosen={index === chosen} onChoose={() => setChosen(index)} />
              </li>
            ))}
          </ul>
          {version && version.content === null ? (
            <p className={styles.none}>{t('It was deleted.')}</p>
          ) : former === text ? (
            <p className={styles.none}>{t('The editor has the same.')}</p>
          ) : (
            <CodeDifference before={former} after={text} />
          )}
        </div>
      )}
    </Dialog>
  );
}

interface OneVersionProps {
  readonly version: Version;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function OneVersion({ version: { version, updatedAt, updatedByName, deleted }, isChosen, onChoose }: OneVersionProps) {
  return (
    <button type="button" aria-pressed={isChosen} onClick={onChoose}>
      <span>{deleted ? t('Deleted') : t('Version {version}', { version })}</span>
      <span className={styles.made}>
        <Moment at={updatedAt} by={updatedByName} />
      </span>
    </button>
  );
}
