import { useQueryClient } from '@tanstack/react-query';
import { formatMoment, formatWholeMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { recordsKey } from '../records/record-list.ts';
import styles from './NewerNote.module.css';
import type { NewerVersion } from './use-newer-version.ts';

interface NewerNoteProps {
  readonly pageKey: string;
  readonly newer: NewerVersion;
}

/** Someone else has changed the record that is shown. It changes when the reader wants it to. */
export function NewerNote({ pageKey, newer: { at, actor } }: NewerNoteProps) {
  const cache = useQueryClient();
  const name = actor?.username ?? t('Someone');
  return (
    <div className={styles.note} role="status">
      <Icon name="reload" />
      <p title={at ? formatWholeMoment(at) : undefined}>
        {t('{name} has changed this record {when}.', { name, when: at ? formatMoment(at) : '' })}
      </p>
      <Button onClick={() => void cache.invalidateQueries({ queryKey: recordsKey(pageKey) })}>
        {t('Show the change')}
      </Button>
    </div>
  );
}
