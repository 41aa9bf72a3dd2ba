import { useQuery } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './Lineage.module.css';
import { ExecutionLine } from './Lineage.tsx';

interface ConsequencesProps {
  readonly traceId: string;
  readonly executionPid: string | null;
}

/** What a change has caused: its command, events, their deliveries, and the runs that they have started. */
export default function Consequences({ traceId, executionPid }: ConsequencesProps) {
  const { data, error } = useQuery({
    queryKey: ['trace', traceId],
    queryFn: ({ signal }) => ask('GET /api/meta/trace/{traceId}', { params: { traceId }, signal }),
  });
  if (error) return <Problem title={shown(error).title} traceId={shown(error).traceId} />;
  if (!data) return <Skeleton width={50} />;
  const own = data.executions.find(({ pid }) => pid === executionPid);
  if (!own)
    return <p className={styles.none}>{t('Only those who may read executions see what others have caused.')}</p>;
  return (
    <ul className={styles.tree}>
      <ExecutionLine execution={own} />
    </ul>
  );
}
