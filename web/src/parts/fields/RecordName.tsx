import { useQuery } from '@tanstack/react-query';
import { recordNameQuery } from './record-names.ts';

interface RecordNameProps {
  readonly pageKey: string;
  readonly pid: string;
  /** By which people know it. */
  readonly field: string;
}

/** What people call a record; its pid where they may not see it. */
export function RecordName({ pageKey, pid, field }: RecordNameProps) {
  const { data, error } = useQuery(recordNameQuery(pageKey, field, pid));
  if (data === undefined) return <>{error ? pid : '…'}</>;
  return <>{data || pid}</>;
}
