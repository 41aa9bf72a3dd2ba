import { offlineResourceChecks } from '../../src/offline.ts';

/** The types of the program, for unit tests: without the checks that need a database. */
export const resourceTypes = offlineResourceChecks().types;
