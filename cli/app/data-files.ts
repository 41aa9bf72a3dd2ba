import type { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';
import { readRecords, type InitialRecords } from './data-records.ts';
import { readUsers, type InitialUsers } from './data-users.ts';
import type { Problem } from './source-file.ts';

/** What an application's folder `data` holds for a new installation. */
export interface InitialData {
  readonly users: InitialUsers;
  readonly records: readonly InitialRecords[];
  readonly problems: readonly Problem[];
}

/**
 * Reads and checks users and records as the service would check them.
 * @param withModule whether `records.ts` is run for its records
 */
export async function readData(directory: string, metadata: Snapshot, withModule: boolean): Promise<InitialData> {
  const { users, problems } = await readUsers(directory, metadata);
  const { records, problems: ofRecords } = await readRecords(directory, metadata, users, withModule);
  return { users, records, problems: [...problems, ...ofRecords] };
}
