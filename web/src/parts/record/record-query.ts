import { queryOptions } from '@tanstack/react-query';
import type { Model, RecordData } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { client } from '../../app/client.ts';
import { recordsKey } from '../records/record-list.ts';

/** Paths that one detail may expand. */
const MAX_EXPANSIONS = 5;

/** One record, with what its relations lead to. */
export function recordQuery(pageKey: string, model: Model, pid: string) {
  const related = model.fields.filter(({ target, type }) => target !== undefined || type === 'user');
  const expand = related.slice(0, MAX_EXPANSIONS).map(({ code }) => code);
  return queryOptions({
    queryKey: [...recordsKey(pageKey), 'record', pid],
    queryFn: async ({ signal }) =>
      (await client.page(pageKey).get(pid, { signal, ...(expand.length > 0 && { expand }) })) as RecordData,
  });
}

/** The commands of a record, each with the reason where its state does not allow it. */
export function recordCommandsQuery(pageKey: string, recordId: string) {
  return queryOptions({
    queryKey: [...recordsKey(pageKey), 'commands', recordId],
    queryFn: ({ signal }) =>
      ask('GET /api/dynamic/{pageKey}/{recordId}/commands', { params: { pageKey, recordId }, signal }),
  });
}

const RELATED_SIZE = 5;

/** The newest records that refer to a record. `name`: `<model>.<field>` of theirs. */
export function relatedQuery(pageKey: string, recordId: string, name: string, field: string) {
  return queryOptions({
    queryKey: [...recordsKey(pageKey), 'related', recordId, name],
    queryFn: ({ signal }) =>
      ask('GET /api/dynamic/{pageKey}/{recordId}/relations/{name}', {
        params: { pageKey, recordId, name },
        query: { fields: field, pageSize: RELATED_SIZE },
        signal,
      }),
  });
}

const HISTORY_SIZE = 50;

/** The changes of a record, the newest first. */
export function historyQuery(pageKey: string, recordId: string) {
  return queryOptions({
    queryKey: [...recordsKey(pageKey), 'history', recordId],
    queryFn: ({ signal }) =>
      ask('GET /api/dynamic/{pageKey}/{recordId}/history', {
        params: { pageKey, recordId },
        query: { pageSize: HISTORY_SIZE },
        signal,
      }),
  });
}
