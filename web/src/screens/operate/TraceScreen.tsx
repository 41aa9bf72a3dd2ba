import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { ask } from '../../app/ask.ts';
import { t } from '../../app/texts.ts';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import lineage from '../../parts/record/Lineage.module.css';
import { EventLine, ExecutionLine, RunLine } from '../../parts/record/Lineage.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import styles from './TraceScreen.module.css';

/** What a request has caused, as a tree from the request to its webhooks. */
export function TraceScreen() {
  const { traceId } = useParams({ from: '/operate/traces/$traceId' });
  const found = useQuery({
    queryKey: ['trace', traceId],
    queryFn: ({ signal }) => ask('GET /api/meta/trace/{traceId}', { params: { traceId }, signal }),
  });
  const { data } = found;
  return (
    <LogScreen title={t('Trace')} filters={<OtherTrace key={traceId} traceId={traceId} />}>
      <Found query={found}>
        {data && (
          <div className={styles.tree}>
            {data.truncated && <p role="note">{t('There is more than is shown.')}</p>}
            <ul className={lineage.tree}>
              {data.executions.map((execution) => (
                <ExecutionLine key={execution.pid} execution={execution} />
              ))}
              {data.events.map((event) => (
                <EventLine key={event.pid} event={event} />
              ))}
              {data.runs.map((run) => (
                <RunLine key={run.runPid} run={run} />
              ))}
            </ul>
          </div>
        )}
      </Found>
    </LogScreen>
  );
}

/** The id of the trace, which another takes the place of. */
function OtherTrace({ traceId }: { readonly traceId: string }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(traceId);
  return (
    <form
      className={styles.other}
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        void navigate({ to: '/operate/traces/$traceId', params: { traceId: typed.trim() } });
      }}
    >
      <TextInput
        aria-label={t('Trace id')}
        value={typed}
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit" disabled={typed.trim() === '' || typed.trim() === traceId}>
        {t('Show')}
      </Button>
    </form>
  );
}
