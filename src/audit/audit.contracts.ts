import type { Contract } from '../http/contract.ts';
import { MOMENT, storable } from '../http/formats.ts';
import { PAGING_QUERY, pageOf } from '../http/paging.ts';
import { ANYTHING, BOOLEAN, integer, nullable, object, PID, text, TIME } from '../http/schema.ts';

const tag = 'Audit';

export const NDJSON = 'application/x-ndjson';

const TEXT = storable({ maxLength: 200 });
const FILTER = {
  actor: { ...TEXT, description: 'The pid of a user' },
  action: { ...TEXT, description: 'As a whole, or its beginning followed by `*`' },
  target: TEXT,
  environment: TEXT,
  since: MOMENT,
  until: MOMENT,
};
const HASH = text({ description: 'SHA-256 as hex digits' });
const ENTRY = object({
  pid: PID,
  at: TIME,
  actor: object({ userPid: text(), username: text() }),
  action: text(),
  targetType: text(),
  targetPid: text(),
  environment: nullable(text()),
  reason: nullable(text()),
  before: ANYTHING,
  after: ANYTHING,
  hash: HASH,
  previousHash: HASH,
  traceId: nullable(text()),
});

export const listEntries: Contract = {
  ...{ tag, summary: 'The audit trail, newest first', data: pageOf(ENTRY) },
  query: { ...PAGING_QUERY, ...FILTER },
  media: { type: NDJSON, description: 'All of it, one entry per line', json: true },
};
/** The same as lines, which have no pages. */
export const exportEntries: Contract = { ...listEntries, query: FILTER };
export const verify: Contract = {
  ...{ tag, summary: 'Whether the chain of hashes is whole' },
  data: object({ ok: BOOLEAN, entries: integer(0), brokenAt: nullable(PID) }),
};
