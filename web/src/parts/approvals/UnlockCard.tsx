import { ask } from '../../app/ask.ts';
import { formatMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import type { Environment } from './approvals-query.ts';
import { Decision } from './Decision.tsx';

/** Someone has asked to unlock an environment: a second person does it. */
export function UnlockCard({ environment }: { readonly environment: Environment }) {
  const { pid, name, code, pendingUnlock, lockReason } = environment;
  if (!pendingUnlock) return null;
  return (
    <Decision
      title={t('Unlock {name}', { name })}
      approve={t('Unlock {name}', { name: code })}
      needsComment="always"
      onDecide={async (_approved, reason) => {
        await ask('POST /api/admin/environments/{environment}/unlock', {
          params: { environment: pid },
          body: { reason },
        });
      }}
    >
      <p>
        {t('{name} asked {moment}:', {
          name: pendingUnlock.proposedByName,
          moment: formatMoment(pendingUnlock.proposedAt),
        })}{' '}
        <strong>{pendingUnlock.reason}</strong>
      </p>
      {lockReason !== null && <p>{t('Locked because of: {reason}', { reason: lockReason })}</p>}
    </Decision>
  );
}
