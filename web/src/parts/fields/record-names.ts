import { queryOptions } from '@tanstack/react-query';
import { client } from '../../app/client.ts';
import { textOf } from './field-kind.ts';

/** Pids of one request: they are part of its address. */
const MAX_PIDS = 100;

interface Batch {
  readonly pids: Set<string>;
  readonly names: Promise<ReadonlyMap<string, string>>;
}

/** Those that are still filled, by page and field. */
const open = new Map<string, Batch>();

/** What a record is called; null where the caller may not see it. @param field by which people know it */
export function recordNameQuery(pageKey: string, field: string, pid: string) {
  return queryOptions({ queryKey: ['record-name', pageKey, pid], queryFn: () => readName(pageKey, field, pid) });
}

/** Those that are asked for at once are read by one request. @throws KeelsonError */
async function readName(pageKey: string, field: string, pid: string): Promise<string | null> {
  const key = `${pageKey} ${field}`;
  const batch = open.get(key) ?? begin(key, pageKey, field);
  batch.pids.add(pid);
  if (batch.pids.size === MAX_PIDS) open.delete(key);
  return (await batch.names).get(pid) ?? null;
}

function begin(key: string, pageKey: string, field: string): Batch {
  const pids = new Set<string>();
  const names = new Promise((resolve) => setTimeout(resolve)).then(() => {
    if (open.get(key) === batch) open.delete(key);
    return readNames(pageKey, field, [...pids]);
  });
  const batch = { pids, names };
  open.set(key, batch);
  return batch;
}

async function readNames(pageKey: string, field: string, pids: readonly string[]) {
  const names = new Map<string, string>();
  const filters = [{ fieldName: 'pid', operator: 'in', value: pids } as const];
  for await (const record of client.page(pageKey).all({ fields: [field], filters })) {
    const { pid } = record as { readonly pid: string };
    names.set(pid, textOf((record as Readonly<Record<string, unknown>>)[field]));
  }
  return names;
}
