import { formatMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { StatusMark } from '../../ui/StatusMark.tsx';
import type { Subscription } from './webhook-queries.ts';

/** Whether a subscription sends, and what keeps it from it. */
export function SubscriptionState({ of: { enabled, paused, circuit } }: { readonly of: Subscription }) {
  if (!enabled) return <StatusMark tone="quiet">{t('Switched off')}</StatusMark>;
  if (paused !== null) return <StatusMark tone="waiting">{t('Paused: its owner is gone or may not read')}</StatusMark>;
  if (circuit.state === 'OPEN') {
    const { openUntil } = circuit;
    return (
      <StatusMark tone="bad">
        {openUntil === null
          ? t('Circuit open')
          : t('Circuit open, next try {moment}', { moment: formatMoment(openUntil) })}
      </StatusMark>
    );
  }
  if (circuit.state === 'HALF_OPEN')
    return <StatusMark tone="waiting">{t('Circuit half open: one is tried')}</StatusMark>;
  return <StatusMark tone="good">{t('Switched on')}</StatusMark>;
}
