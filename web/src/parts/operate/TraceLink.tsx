import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import styles from './TraceLink.module.css';

const SHOWN = 8;

/** To what a request has caused, from the request to its webhooks. */
export function TraceLink({ traceId }: { readonly traceId: string }) {
  return (
    <Link
      to="/operate/traces/$traceId"
      params={{ traceId }}
      className={styles.trace}
      aria-label={t('Trace {id}', { id: traceId.slice(0, SHOWN) })}
      title={traceId}
    >
      {traceId.slice(0, SHOWN)}
    </Link>
  );
}
