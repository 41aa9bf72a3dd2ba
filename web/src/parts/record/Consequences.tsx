import { useQuery } from '@tanstack/react-query';
import { ask } from '../../app/ask.ts';
import { t } from '../../app/texts.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import styles from './Lineage.module.css';
import { ExecutionLine } from './Lineage.tsx';

interface ConsequencesProps {
  readonly traceId: string;
  readonly executionPid: string | null;
}

/** What a change has caused: its command, events, their deliveries, and the runs that they have started. */
export default function Consequences({ traceId, executionPid }: ConsequencesProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['trace', traceId],
    queryFn: ({ signal }) => ask('GET /api/meta/trace/{traceId}', { params: { traceId }, signal }),
  });
  if (error) return <FailedRead error={error} onRetry={() => void refetch()} />;
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
