import { ask } from '../../app/ask.ts';
import { formatMoment, formatRounded } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import type { Environment } from './approvals-query.ts';
import { Decision } from './Decision.tsx';

/** Someone has proposed that fewer people must agree to a promotion: a second person puts it in force. */
export function PolicyCard({ environment }: { readonly environment: Environment }) {
  const { pid, name, code, approvalPolicy, pendingPolicy } = environment;
  if (!pendingPolicy) return null;
  const { approvalPolicy: proposed, proposedByName, proposedAt, reason: why } = pendingPolicy;
  const names = {
    minApprovals: t('Approvals that are needed'),
    expiresHours: t('Hours until a promotion expires'),
    selfApprove: t('Creators may approve'),
    unlockApproval: t('Unlocking takes two people'),
  };
  const textOf = (value: number | boolean): string =>
    typeof value === 'number' ? formatRounded(value) : value ? t('Yes') : t('No');
  const keys = (Object.keys(names) as (keyof typeof names)[]).filter((key) => proposed[key] !== approvalPolicy[key]);
  return (
    <Decision
      title={t('Change who approves promotions to {name}', { name })}
      approve={t('Change it for {name}', { name: code })}
      needsComment="always"
      onDecide={async (_approved, reason) => {
        const body = { approvalPolicy: proposed, reason };
        await ask('PATCH /api/admin/environments/{environment}', { params: { environment: pid }, body });
      }}
    >
      <p>
        {t('{name} asked {moment}:', { name: proposedByName, moment: formatMoment(proposedAt) })} <strong>{why}</strong>
      </p>
      <ul>
        {keys.map((key) => (
          <li key={key}>
            {names[key]}: {textOf(approvalPolicy[key])} → <strong>{textOf(proposed[key])}</strong>
          </li>
        ))}
      </ul>
    </Decision>
  );
}
