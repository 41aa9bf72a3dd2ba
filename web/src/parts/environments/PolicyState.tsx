import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { formatMoment, formatNumber } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { t, type TextKey } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { ReasonField } from '../actions/ReasonField.tsx';
import styles from './environments.module.css';
import { ENVIRONMENTS, type Environment, type Policy } from './environments-query.ts';

const WRITES: Readonly<Record<Environment['writePolicy'], TextKey>> = {
  open: 'Authors change it directly; promotions take one person.',
  locked: 'It changes by promotions alone; one person is enough.',
  locked_with_approval: 'It changes by promotions alone, and two people must agree.',
};

function rowsOf({ minApprovals, expiresHours, selfApprove, unlockApproval }: Policy) {
  const yesNo = (value: boolean) => (value ? t('Yes') : t('No'));
  return [
    [t('Approvals that are needed'), formatNumber(minApprovals)],
    [t('Hours until a promotion expires'), formatNumber(expiresHours)],
    [t('Creators may approve'), yesNo(selfApprove)],
    [t('Unlocking takes two people'), yesNo(unlockApproval)],
  ] as const;
}

/** Who must agree before something is applied here. */
export function PolicyState({ environment }: { readonly environment: Environment }) {
  const { writePolicy, approvalPolicy, pendingPolicy } = environment;
  const [isChanging, setChanging] = useState(false);
  return (
    <section className={styles.part} aria-label={t('Who must agree')}>
      <header>
        <h2>{t('Who must agree')}</h2>
        <Button onClick={() => setChanging(true)}>{t('Change the rule')}</Button>
      </header>
      <p>{t(WRITES[writePolicy])}</p>
      <dl className={styles.rows}>
        {rowsOf(approvalPolicy).map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {pendingPolicy && (
        <p>
          {t('{name} asked {moment}:', {
            name: pendingPolicy.proposedByName,
            moment: formatMoment(pendingPolicy.proposedAt),
          })}{' '}
          {rowsOf(pendingPolicy.approvalPolicy)
            .filter(([, value], index) => value !== rowsOf(approvalPolicy)[index]?.[1])
            .map(([label, value]) => `${label}: ${value}`)
            .join('; ')}
        </p>
      )}
      {isChanging && <PolicyDialog environment={environment} onClose={() => setChanging(false)} />}
    </section>
  );
}

interface PolicyDialogProps {
  readonly environment: Environment;
  readonly onClose: () => void;
}

function PolicyDialog({ environment: { pid, code, approvalPolicy }, onClose }: PolicyDialogProps) {
  const cache = useQueryClient();
  const [wanted, setWanted] = useState(approvalPolicy);
  const [reason, setReason] = useState('');
  const number = (key: 'minApprovals' | 'expiresHours', label: string, problem: string | undefined) => (
    <Labelled label={label} problem={problem}>
      {(ties) => (
        <TextInput
          {...ties}
          type="number"
          min={1}
          value={wanted[key]}
          onChange={({ target }) => setWanted({ ...wanted, [key]: Number(target.value) })}
        />
      )}
    </Labelled>
  );
  const check = (key: 'selfApprove' | 'unlockApproval', label: string) => (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={wanted[key]}
        onChange={({ target }) => setWanted({ ...wanted, [key]: target.checked })}
      />
      {label}
    </label>
  );
  return (
    <ActionDialog
      title={t('Who must agree for {name}', { name: code })}
      action={t('Change it for {name}', { name: code })}
      isReady={reason.trim() !== ''}
      onAct={async () => {
        const body = { approvalPolicy: wanted, reason: reason.trim() };
        const after = await ask('PATCH /api/admin/environments/{environment}', { params: { environment: pid }, body });
        say(after.pendingPolicy ? t('A second person must agree') : t('Changed'));
        await cache.invalidateQueries({ queryKey: ENVIRONMENTS });
        onClose();
      }}
      onClose={onClose}
    >
      {(problems) => (
        <>
          {number('minApprovals', t('Approvals that are needed'), problems['approvalPolicy.minApprovals'])}
          {number('expiresHours', t('Hours until a promotion expires'), problems['approvalPolicy.expiresHours'])}
          {check('selfApprove', t('Creators may approve'))}
          {check('unlockApproval', t('Unlocking takes two people'))}
          <ReasonField value={reason} problem={problems.reason} onChange={setReason} />
        </>
      )}
    </ActionDialog>
  );
}
