import { ValidationError } from '@keelson/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { plural, t } from '../../app/texts.ts';
import { Moment } from '../operate/Moment.tsx';
import styles from './MatchPreview.module.css';
import { WEBHOOKS } from './webhook-queries.ts';

interface MatchPreviewProps {
  readonly eventType: string;
  readonly modelCode: string;
  readonly filterExpression: string;
}

/** So long nothing is typed before it is asked. */
const PAUSE_MS = 400;
const SHOWN = 4;

/** Which of the newest events the subscription would hear, while it is written. */
export function MatchPreview(props: MatchPreviewProps) {
  const draft = useSettled(props);
  const { eventType, modelCode, filterExpression } = draft;
  const { data, error } = useQuery({
    queryKey: [...WEBHOOKS, 'match', draft],
    enabled: eventType !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const body = {
        eventType,
        modelCode: modelCode === '' ? null : modelCode,
        filterExpression: filterExpression === '' ? null : filterExpression,
      };
      return ask('POST /api/webhooks/match', { body, signal });
    },
  });
  if (eventType === '') return null;
  return (
    <div className={styles.preview} role="status">
      {error ? (
        <p>{wordsOf(error)}</p>
      ) : (
        data && (
          <>
            <p>
              {t('Of the newest {looked} events it would hear {matched}.', {
                looked: data.looked,
                matched: data.matched,
              })}
            </p>
            <ul>
              {data.events.slice(0, SHOWN).map(({ pid, eventType: type, createdAt }) => (
                <li key={pid}>
                  <span>{type}</span>
                  <Moment at={createdAt} />
                </li>
              ))}
            </ul>
            {data.matched > SHOWN && <p>{plural(data.matched - SHOWN, 'and {count} more', 'and {count} more')}</p>}
          </>
        )
      )}
    </div>
  );
}

/** What is wrong is said by the field that is written; the whole says less. */
function wordsOf(error: Error): string {
  const problems = error instanceof ValidationError ? Object.values(error.fieldErrors) : [];
  return problems.length > 0 ? problems.join('. ') : shown(error).title;
}

/** A value that has not changed for a while. */
function useSettled({ eventType, modelCode, filterExpression }: MatchPreviewProps): MatchPreviewProps {
  const [settled, setSettled] = useState<MatchPreviewProps>({ eventType, modelCode, filterExpression });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ eventType, modelCode, filterExpression }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [eventType, modelCode, filterExpression]);
  return settled;
}
