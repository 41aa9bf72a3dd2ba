import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { momentOf } from '../../app/wall-time.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { ReasonField } from '../actions/ReasonField.tsx';
import styles from './ApplyDialog.module.css';
import { sealOf, type Conflict, type PromotionDetails } from './promotions-query.ts';

interface ApplyDialogProps {
  readonly promotion: PromotionDetails;
  readonly plan: NonNullable<PromotionDetails['plan']>;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

const SOAK_MINUTES = 10;
const MINUTE_S = 60;

/** Applies a plan now or at a time, and says how the target is watched afterwards. */
export function ApplyDialog({ promotion, plan, onDone, onClose }: ApplyDialogProps) {
  const { pid, target, conflicts } = promotion;
  const [reason, setReason] = useState('');
  const [at, setAt] = useState('');
  const [isLater, setLater] = useState(false);
  const [minutes, setMinutes] = useState(String(SOAK_MINUTES));
  const [isWatched, setWatched] = useState(target === 'prod');
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(new Set());
  const asked = conflicts.filter(({ severity, resolution }) => severity === 'consent' && resolution === null);
  // The service applies at once what is due.
  const isPast = at !== '' && Date.parse(momentOf(at)) <= Date.now();
  const isReady =
    reason.trim() !== '' &&
    (!isLater || (at !== '' && !isPast)) &&
    asked.every(({ resourcePid }) => agreed.has(resourcePid));

  async function apply() {
    await ask('POST /api/admin/promotions/{pid}/apply', {
      params: { pid },
      body: {
        reason: reason.trim(),
        planHash: plan.hash,
        ...(agreed.size > 0 && { consent: [...agreed] }),
        ...(isLater && { applyAt: momentOf(at) }),
        ...(isWatched && { soak: { seconds: Math.round(Number(minutes) * MINUTE_S) } }),
      },
    });
    say(isLater ? t('It is applied at the time') : t('Applied to {target}', { target }));
    await onDone();
    onClose();
  }

  const what = { seal: sealOf(plan), target };
  return (
    <ActionDialog
      title={t('Apply plan {seal} to {target}', what)}
      action={isLater ? t('Schedule plan {seal} for {target}', what) : t('Apply plan {seal} to {target}', what)}
      isReady={isReady}
      onAct={apply}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <p>
            {plural(
              plan.items.length,
              '{count} resource changes, all or none.',
              '{count} resources change, all or none.',
            )}
          </p>
          {asked.length > 0 && <Consents conflicts={asked} agreed={agreed} onChange={setAgreed} />}
          <ReasonField value={reason} problem={problems.reason} onChange={setReason} />
          <Check label={t('At a time')} isOn={isLater} onChange={setLater}>
            <Labelled label={t('When')} problem={isPast ? t('This has passed') : problems.applyAt}>
              {(ties) => (
                <TextInput {...ties} type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
              )}
            </Labelled>
          </Check>
          <Check label={t('Watch it, and roll back if it fails')} isOn={isWatched} onChange={setWatched}>
            <Labelled label={t('Minutes')} problem={problems['soak.seconds']}>
              {(ties) => (
                <TextInput
                  {...ties}
                  type="number"
                  min={1}
                  max={240}
                  value={minutes}
                  onChange={(event) => setMinutes(event.target.value)}
                />
              )}
            </Labelled>
          </Check>
        </>
      )}
    </ActionDialog>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Only where it is on. */
  readonly children: React.ReactNode;
}

function Check({ label, isOn, onChange, children }: CheckProps) {
  return (
    <div className={styles.check}>
      <label>
        <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
        {label}
      </label>
      {isOn && children}
    </div>
  );
}

interface ConsentsProps {
  readonly conflicts: readonly Conflict[];
  readonly agreed: ReadonlySet<string>;
  readonly onChange: (agreed: ReadonlySet<string>) => void;
}

/** What gets out of reach, each to be agreed to. */
function Consents({ conflicts, agreed, onChange }: ConsentsProps) {
  const byResource = Map.groupBy(conflicts, ({ resourcePid }) => resourcePid);
  return (
    <fieldset className={styles.consents}>
      <legend>{t('You agree to this')}</legend>
      {[...byResource].map(([resourcePid, found]) => (
        <label key={resourcePid}>
          <input
            type="checkbox"
            checked={agreed.has(resourcePid)}
            onChange={({ target }) => {
              const next = new Set(agreed);
              if (target.checked) next.add(resourcePid);
              else next.delete(resourcePid);
              onChange(next);
            }}
          />
          <span>
            <strong>{found[0]?.code}</strong>: {found.map(({ message }) => message).join('; ')}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
