import { useQuery } from '@tanstack/react-query';
import { historyQuery } from './record-query.ts';

interface AuthorNameProps {
  readonly pageKey: string;
  /** Of the record. */
  readonly pid: string;
  /** The pid of a person, or the name of a program. */
  readonly author: string;
}

const PID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** Who has written a record: its history knows people by their names. */
export function AuthorName({ pageKey, pid, author }: AuthorNameProps) {
  const { data } = useQuery({ ...historyQuery(pageKey, pid), enabled: PID.test(author) });
  const entry = data?.records.find(({ actor }) => actor.userPid === author);
  return <span title={author}>{entry?.actor.username ?? author}</span>;
}
