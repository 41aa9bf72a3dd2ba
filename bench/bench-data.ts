import { encodeTime } from 'ulid';
import type { SeedRecord } from '../src/platform/records/seeding/seed-record.ts';

export const LOGIN = { email: 'bench@keelson.example', password: 'keelson-bench-1' };

export interface BenchTenant {
  readonly id: string;
  readonly name: string;
  readonly leads: number;
}

const MEASURED: BenchTenant = { id: '1', name: 'Measured', leads: 100_000 };
/** With BENCH_TENANTS=10 there are 1,000,000 leads, and ten tenants of one size. */
const LARGE = Number(process.env.BENCH_TENANTS ?? 0);

/** The measured tenant, and those whose leads are interleaved with its own. */
export const TENANTS: readonly [BenchTenant, ...BenchTenant[]] = [
  MEASURED,
  ...(LARGE > 1
    ? Array.from({ length: LARGE - 1 }, (_, n) => ({ ...MEASURED, id: String(n + 2), name: `Neighbour ${n + 1}` }))
    : [{ id: '2', name: 'Neighbour', leads: 20_000 }]),
];
/** Each of the measured tenant's leads belongs to one of these. */
export const ACCOUNTS = 1_000;

export const FIRST_CREATED_AT = Date.UTC(2025, 0, 1);
const HISTORY_MS = 90 * 24 * 60 * 60 * 1000;

const STATUSES = ['new', 'open', 'won', 'lost'] as const;
const SOURCES = ['web', 'referral', 'event', 'campaign', 'phone', 'partner', 'other'] as const;
const FIRST_NAMES = ['Ada', 'Bruno', 'Chen', 'Dilara', 'Emeka', 'Freya', 'Goran', 'Hana', 'Ivo', 'Júlia'] as const;
const LAST_NAMES = ['Abel', 'Brandt', 'Castro', 'Dubois', 'Eriksen', 'Fontana', 'Grün', 'Haddad', 'Ito'] as const;

/** Lead number `index` of a tenant. A quarter of the leads are new. */
export function lead(tenant: BenchTenant, index: number): SeedRecord {
  const first = pick(FIRST_NAMES, index);
  const last = pick(LAST_NAMES, index);
  return {
    pid: leadPid(tenant, index),
    created_at: new Date(createdAt(tenant, index)).toISOString(),
    name: `${first} ${last}`,
    status: pick(STATUSES, index),
    email: `${first}.${last}.${index}@customer.example`.toLowerCase(),
    phone: `+49 30 ${String(1_000_000 + (index % 9_000_000))}`,
    amount: (((index * 7_919) % 5_000_000) / 100).toFixed(2),
    score: (index * 31) % 101,
    source: pick(SOURCES, index),
    owner: pick(FIRST_NAMES, index >> 3),
    account: tenant.id === MEASURED.id ? accountPid(index % ACCOUNTS) : null,
    notes: index % 4 === 0 ? `Met at the trade fair, wants an offer for ${10 + (index % 90)} seats.` : null,
    due_on: new Date(createdAt(tenant, index) + 14 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10),
  };
}

/** A ULID of the lead's creation time and number. */
export function leadPid(tenant: BenchTenant, index: number): string {
  return `${encodeTime(createdAt(tenant, index), 10)}${tenant.id}${String(index).padStart(15, '0')}`;
}

export function account(index: number): SeedRecord {
  return { pid: accountPid(index), name: `${pick(LAST_NAMES, index)} ${index} GmbH`, code: `A-${index}` };
}

function accountPid(index: number): string {
  return `${encodeTime(FIRST_CREATED_AT, 10)}${String(index).padStart(16, '0')}`;
}

function createdAt({ leads }: { leads: number }, index: number): number {
  return FIRST_CREATED_AT + Math.floor((index * HISTORY_MS) / leads);
}

/** Scatters the values (Knuth's multiplicative hash), so that the leads of a status are not adjacent. */
function pick<T>(values: readonly T[], index: number): T {
  return values[(Math.imul(index, 2_654_435_761) >>> 16) % values.length] as T;
}

/** `crm:create_lead` in the other modes of execution. */
export const INLINE_COMMAND = 'crm:bench_inline';
export const WORKFLOW_COMMAND = 'crm:bench_workflow';
