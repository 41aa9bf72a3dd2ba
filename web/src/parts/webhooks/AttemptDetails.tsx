import { t } from '../../app/texts.ts';
import { formatDuration } from '../operate/duration.ts';
import { Facts } from '../operate/Facts.tsx';
import { Code, Folded } from '../operate/Folded.tsx';
import { Moment } from '../operate/Moment.tsx';
import styles from './AttemptDetails.module.css';
import { outcomeOf, triggerText } from './delivery-texts.ts';
import { prettyBody } from './pretty-body.ts';
import type { Attempt, Delivery } from './webhook-queries.ts';

interface AttemptDetailsProps {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

/** One POST: what was sent, and what came back. */
export function AttemptDetails({ delivery: { request, body }, attempt }: AttemptDetailsProps) {
  const { number, trigger, startedAt, durationMs, statusCode, errorMessage, ip } = attempt;
  const { responseHeaders, responseBody, responseTruncated } = attempt;
  return (
    <section className={styles.attempt} aria-label={t('Attempt {number}', { number })}>
      <h3>{t('Attempt {number}', { number })}</h3>
      <Facts
        facts={[
          [t('Answer'), outcomeOf(attempt)],
          [t('What happened'), errorMessage],
          [t('Begun'), <Moment key="at" at={startedAt} />],
          [t('Why'), triggerText(trigger)],
          [t('Took'), durationMs === null ? null : formatDuration(durationMs)],
          [t('Address'), ip],
        ]}
      />
      <h3>{t('Request')}</h3>
      <p className={styles.url}>POST {request.url}</p>
      <Folded title={t('Headers')}>
        <Headers of={request.headers} />
        <p className={styles.note}>{t('Times and signatures are those of the attempt.')}</p>
      </Folded>
      <Folded title={t('Body')}>
        {body === null ? (
          <p className={styles.note}>{t('You may not read it, or it is forgotten.')}</p>
        ) : (
          <Code>{prettyBody(body)}</Code>
        )}
      </Folded>
      <h3>{t('Response')}</h3>
      {statusCode === null && <p className={styles.note}>{t('There was none.')}</p>}
      {responseHeaders && (
        <Folded title={t('Headers')}>
          <Headers of={responseHeaders} />
        </Folded>
      )}
      {responseBody !== null && responseBody !== '' && (
        <Folded title={t('Body')} isOpen>
          <Code>{prettyBody(responseBody)}</Code>
          {responseTruncated && <p className={styles.note}>{t('Its rest is not kept.')}</p>}
        </Folded>
      )}
    </section>
  );
}

function Headers({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <dl className={styles.headers}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
