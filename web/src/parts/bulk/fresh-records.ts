import type { RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';

/** Values of one `in` condition in one page of a query. */
const CHUNK = 100;

/** Records as they are now, in the order of their pids; those that are gone are left out. */
export async function freshRecords(
  pageKey: string,
  pids: readonly string[],
  fields: readonly string[],
): Promise<RecordData[]> {
  const found = new Map<string, RecordData>();
  for (let first = 0; first < pids.length; first += CHUNK) {
    const value = pids.slice(first, first + CHUNK);
    const { records } = await client.page(pageKey).query({
      conditions: [{ fieldName: 'pid', operator: 'in', value }],
      fields: [...fields, 'version'],
      pageSize: CHUNK,
      count: 'none',
    });
    for (const record of records as readonly RecordData[]) found.set(record.pid, record);
  }
  return pids.flatMap((pid) => found.get(pid) ?? []);
}
