import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { formatMoment } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { ReasonDialog } from '../actions/ReasonDialog.tsx';
import { Moment } from '../operate/Moment.tsx';
import styles from './environments.module.css';
import { ENVIRONMENTS, type Environment } from './environments-query.ts';

/** Whether configuration may change here, and why not; locks and unlocks it. */
export function LockState({ environment }: { readonly environment: Environment }) {
  const { pid, code, locked, lockReason, lockedAt, lockedByName, pendingUnlock } = environment;
  const cache = useQueryClient();
  const [isAsking, setAsking] = useState(false);

  async function act(reason: string) {
    const input = { params: { environment: pid }, body: { reason } };
    const after = locked
      ? await ask('POST /api/admin/environments/{environment}/unlock', input)
      : await ask('POST /api/admin/environments/{environment}/lock', input);
    say(after.locked === locked ? t('A second person must agree') : locked ? t('Unlocked') : t('Locked'));
    await cache.invalidateQueries({ queryKey: ENVIRONMENTS });
    setAsking(false);
  }

  const action = locked ? t('Unlock {name}', { name: code }) : t('Lock {name}', { name: code });
  return (
    <section className={styles.part} aria-label={t('Lock')}>
      <header>
        <h2>{t('Lock')}</h2>
        <Button onClick={() => setAsking(true)}>{action}</Button>
      </header>
      <p>
        <StatusMark tone={locked ? 'waiting' : 'quiet'}>{locked ? t('Locked') : t('Not locked')}</StatusMark>
        {locked && lockedAt !== null && (
          <>
            {' '}
            <Moment at={lockedAt} by={lockedByName} />
            {lockReason !== null && <>: {lockReason}</>}
          </>
        )}
      </p>
      {pendingUnlock && (
        <p>
          {t('{name} asked {moment}:', {
            name: pendingUnlock.proposedByName,
            moment: formatMoment(pendingUnlock.proposedAt),
          })}{' '}
          {pendingUnlock.reason}
        </p>
      )}
      {isAsking && (
        <ReasonDialog title={action} action={action} onAct={act} onClose={() => setAsking(false)}>
          <p>
            {locked
              ? t('While a promotion into it is open, a second person may have to agree.')
              : t('Its configuration stays as it is until it is unlocked; records go on.')}
          </p>
        </ReasonDialog>
      )}
    </section>
  );
}
