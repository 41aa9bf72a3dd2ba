import { useQuery } from '@tanstack/react-query';
import { temporalQuery } from './temporal-query.ts';
import styles from './TraceLink.module.css';

/** A workflow in Temporal's own UI, where its address is known; its id where it is not. */
export function WorkflowLink({ id }: { readonly id: string }) {
  const { data } = useQuery(temporalQuery);
  const url = data?.workflowUrl;
  if (typeof url !== 'string') return <span className={styles.trace}>{id}</span>;
  return (
    <a href={url.replace('{id}', encodeURIComponent(id))} target="_blank" rel="noreferrer" className={styles.trace}>
      {id}
    </a>
  );
}
