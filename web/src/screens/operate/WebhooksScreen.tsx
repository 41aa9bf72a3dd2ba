import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './WebhooksScreen.module.css';

/** What is told to other programs. */
export function WebhooksScreen() {
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => ask('GET /api/webhooks', { query: { pageSize: 100 }, signal }),
  });
  useEffect(() => {
    document.title = t('Webhooks');
  }, []);
  if (error) {
    const { title, advice } = shown(error);
    return (
      <Blank title={title} advice={advice}>
        <Button look="primary" onClick={() => void refetch()}>
          {t('Try again')}
        </Button>
      </Blank>
    );
  }
  return (
    <div className={styles.screen}>
      <h1>{t('Webhooks')}</h1>
      {data?.total === 0 && (
        <Blank title={t('No webhook yet')} advice={t('A webhook tells another program what happens here.')} />
      )}
      <table>
        <thead>
          <tr>
            <th>{t('Name')}</th>
            <th>{t('Event')}</th>
            <th>{t('Endpoint')}</th>
            <th>{t('State')}</th>
          </tr>
        </thead>
        <tbody>
          {data?.records.map(({ pid, name, eventType, targetUrl, enabled }) => (
            <tr key={pid}>
              <td>{name}</td>
              <td>{eventType}</td>
              <td>{targetUrl}</td>
              <td>
                <StatusMark tone={enabled ? 'good' : 'quiet'}>
                  {enabled ? t('Switched on') : t('Switched off')}
                </StatusMark>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
