import { useQuery } from '@tanstack/react-query';
import { t } from '../../app/texts.ts';
import { Labelled, type ControlTies } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { MatchPreview } from './MatchPreview.tsx';
import type { Draft } from './subscription-draft.ts';
import styles from './SubscriptionForm.module.css';
import { eventTypesQuery } from './webhook-queries.ts';

interface SubscriptionFieldsProps {
  readonly draft: Draft;
  /** By field. */
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Makes a control for a text of a draft. */
function controlsOf({ draft, onChange }: Pick<SubscriptionFieldsProps, 'draft' | 'onChange'>) {
  return (name: keyof Draft, inputMode?: 'numeric') => (ties: ControlTies) => (
    <TextInput
      {...ties}
      inputMode={inputMode}
      value={draft[name]}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  );
}

/** What a subscription listens for and where it sends that, with what it would have heard of late. */
export function SubscriptionFields(props: SubscriptionFieldsProps) {
  const { draft, problems, onChange: set } = props;
  const text = controlsOf(props);
  const { data: types = [] } = useQuery(eventTypesQuery);
  return (
    <>
      <Labelled label={t('Name')} required problem={problems.name}>
        {text('name')}
      </Labelled>
      <Labelled label={t('Endpoint')} required problem={problems.targetUrl} hint="https://">
        {text('targetUrl')}
      </Labelled>
      <div className={styles.pair}>
        <Labelled
          label={t('Event')}
          required
          problem={problems.eventType}
          hint={t('A type, or a beginning with * for all that follows')}
        >
          {(ties) => (
            <>
              <TextInput
                {...ties}
                list="webhook-event-types"
                value={draft.eventType}
                onChange={({ target }) => set({ eventType: target.value })}
              />
              <datalist id="webhook-event-types">
                {[...new Set(types.map(({ eventType }) => eventType))].map((type) => (
                  <option key={type} value={type} />
                ))}
              </datalist>
            </>
          )}
        </Labelled>
        <Labelled label={t('Only of this model')} problem={problems.modelCode}>
          {text('modelCode')}
        </Labelled>
      </div>
      <Labelled
        label={t('Only when')}
        problem={problems.filterExpression}
        hint={t("CEL over the payload and the result: result.status == 'won'")}
      >
        {(ties) => (
          <TextArea
            {...ties}
            rows={2}
            spellCheck={false}
            value={draft.filterExpression}
            onChange={({ target }) => set({ filterExpression: target.value })}
          />
        )}
      </Labelled>
      <MatchPreview eventType={draft.eventType} modelCode={draft.modelCode} filterExpression={draft.filterExpression} />
      <HowItSends {...props} />
    </>
  );
}

/** How fast, how often and in which order it sends: what few change. */
function HowItSends(props: SubscriptionFieldsProps) {
  const { draft, problems, onChange: set } = props;
  const text = controlsOf(props);
  const number = (name: keyof Draft) => text(name, 'numeric');
  return (
    <details className={styles.more}>
      <summary>{t('Retries, speed and order')}</summary>
      <div className={styles.pair}>
        <Labelled label={t('Retries')} problem={problems.maxRetries}>
          {number('maxRetries')}
        </Labelled>
        <Labelled label={t('Waits at most, in milliseconds')} problem={problems.timeoutMs}>
          {number('timeoutMs')}
        </Labelled>
        <Labelled label={t('Requests a second')} problem={problems.rateLimitPerSecond}>
          {number('rateLimitPerSecond')}
        </Labelled>
        <Labelled label={t('Order')} problem={problems.ordering}>
          {(ties) => (
            <Select
              {...ties}
              value={draft.ordering}
              options={[
                ['none', t('As they come')],
                ['record', t('One after the other, by record')],
              ]}
              onChoose={(ordering) => set({ ordering: ordering === 'record' ? 'record' : 'none' })}
            />
          )}
        </Labelled>
      </div>
      <Labelled label={t('Description')} problem={problems.description}>
        {text('description')}
      </Labelled>
    </details>
  );
}
