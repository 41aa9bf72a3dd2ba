import { isPid, newPid } from '../../../foundation/database/pid.ts';
import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { letOthersRun } from '../../../foundation/jobs/turns.ts';
import { writableFields, type Model } from '../../metadata/models/model.ts';
import type { Snapshot } from '../../metadata/snapshot/snapshot.ts';
import { SEEDS_AT_ONCE } from '../records.limits.ts';
import { checkedSeed, type Resolved, type SeedRecord, type SeedScope, type SeedValues } from './seed-record.ts';

/** Records of one model and one tenant, as a request gives them. */
export interface GivenSeeds {
  readonly tenant: string;
  readonly modelCode: string;
  readonly records: readonly SeedValues[];
}

export interface SeedTenant {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
}

/** Records that may be written where there are no others. */
export interface Seeds {
  readonly tenantId: string;
  readonly timeZone: string;
  readonly model: Model;
  readonly records: readonly SeedRecord[];
}

/**
 * Checks the records that an emptied environment begins with: they may refer to each other, and to users.
 * @param errors gets `records.<index>.records.<index>.<field>` -> problem
 * @param findUsers which of these pids are users
 */
export async function checkSeeds(
  given: readonly GivenSeeds[],
  metadata: Snapshot,
  {
    tenants,
    findUsers,
  }: { tenants: readonly SeedTenant[]; findUsers: (pids: string[]) => Promise<ReadonlySet<string>> },
  errors: FieldErrors,
): Promise<Seeds[]> {
  const users = await findUsers([...new Set(given.flatMap((one) => usersIn(one, metadata)))]);
  const pids = new Map<string, ReadonlySet<string>>();
  for (const [key, own] of Map.groupBy(given, keyOf))
    pids.set(key, new Set(own.flatMap(({ records }) => records.map(({ pid }) => String(pid)))));
  const seen = new Map<string, Set<string>>();
  const taken = new Set<string>();
  const seeds: Seeds[] = [];
  for (const [index, { tenant: name, modelCode, records }] of given.entries()) {
    const at = `records.${index}`;
    const tenant = tenants.find((one) => one.name === name);
    const model = metadata.models.get(modelCode);
    if (!tenant) errors[`${at}.tenant`] = 'is none of the tenants';
    if (!model) errors[`${at}.modelCode`] = 'is not a model';
    if (!tenant || !model) continue;
    const known = seen.get(name) ?? new Set();
    seen.set(name, known);
    const { timeZone } = tenant;
    const scope: SeedScope = {
      timeZone,
      seen: known,
      taken,
      resolve: ({ type, target = '' }, value): Resolved => {
        if (typeof value !== 'string') return { value };
        if (type === 'user' && !users.has(value)) return { problem: 'is not a user' };
        const isKnown = type !== 'relation' || pids.get(keyOf({ tenant: name, modelCode: target }))?.has(value);
        return isKnown ? { value } : { problem: text('is not a record of {model}', { model: target }) };
      },
      problemOfPid: (pid) => (typeof pid === 'string' && isPid(pid) ? null : 'must be a pid'),
      pidOf: (_, pid) => pid,
      newPid,
    };
    const checked: SeedRecord[] = [];
    for (const [place, record] of records.entries()) {
      if (place % SEEDS_AT_ONCE === 0) await letOthersRun();
      const seed = checkedSeed(model, record, scope, (path, problem) => {
        errors[[at, 'records', place, path].filter((part) => part !== '').join('.')] = problem;
      });
      if (seed) checked.push(seed);
    }
    seeds.push({ tenantId: tenant.id, timeZone, model, records: checked });
  }
  return seeds;
}

function keyOf({ tenant, modelCode }: Pick<GivenSeeds, 'tenant' | 'modelCode'>): string {
  return JSON.stringify([tenant, modelCode]);
}

/** The pids of users that records name. */
function usersIn({ modelCode, records }: GivenSeeds, metadata: Snapshot): string[] {
  const model = metadata.models.get(modelCode);
  const fields = model ? writableFields(model).filter(({ type }) => type === 'user') : [];
  return records.flatMap((record) =>
    fields.flatMap(({ code }) => (typeof record[code] === 'string' ? [record[code]] : [])),
  );
}
