import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState, type KeyboardEvent } from 'react';
import type { Application, Me } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { FailedRead } from '../../parts/notices/FailedRead.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import styles from './SearchDialog.module.css';
import { foundRecordsQuery, knownResults, type SearchResult } from './search-results.ts';

interface SearchDialogProps {
  readonly application: Application;
  readonly me: Me;
  readonly onClose: () => void;
}

/** Everything by its name: pages, commands, records. */
export default function SearchDialog({ application, me, onClose }: SearchDialogProps) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const keyword = useDeferredValue(typed.trim());
  const {
    data: found,
    error: failed,
    isFetching,
    refetch,
  } = useQuery({
    ...foundRecordsQuery(application, keyword),
    placeholderData: keepPreviousData,
  });
  const { records = [], failure } = (keyword === '' ? null : found) ?? {};
  const error = failed ?? failure;
  const results = [...knownResults(application, me, keyword), ...records];
  const at = Math.min(chosen, results.length - 1);

  function go({ to }: SearchResult) {
    onClose();
    if ('dashboard' in to) void navigate({ to: '/dashboards/$code', params: { code: to.dashboard } });
    else if ('screen' in to) void navigate({ to: to.screen });
    else {
      const { pageKey, open, run } = to;
      const search = { ...(open !== undefined && { open }), ...(run !== undefined && { run }) };
      void navigate({ to: '/pages/$pageKey', params: { pageKey }, search });
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const result = results[at];
    if (step !== 0) setChosen((at + step + results.length) % Math.max(1, results.length));
    else if (event.key === 'Enter' && result) go(result);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title={t('Search or run')} onClose={onClose}>
      <TextInput
        role="combobox"
        aria-expanded="true"
        aria-controls="search-results"
        aria-activedescendant={results[at] && `search-${at}`}
        aria-label={t('Search or run')}
        placeholder={t('A page, a command or a record')}
        value={typed}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setTyped(target.value);
          setChosen(0);
        }}
      />
      <div id="search-results" role="listbox" aria-label={t('Results')} className={styles.results} tabIndex={-1}>
        {results.map((result, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={result.key}
            id={`search-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={styles.result}
            onClick={() => go(result)}
          >
            {result.name}
            <span className={styles.kind}>{result.kind}</span>
          </div>
        ))}
      </div>
      {error && <FailedRead error={error} onRetry={() => void refetch()} />}
      {results.length === 0 && !error && (
        <p className={styles.note} role="status">
          {isFetching ? t('Searching') : t('Nothing is found')}
        </p>
      )}
    </Dialog>
  );
}
