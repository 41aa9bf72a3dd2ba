import type { Transaction } from '../../../foundation/database/pool.ts';
import { throwIfInvalid, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import { activeMembersAmong } from '../../auth/accounts/member.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { Model } from '../../metadata/models/model.ts';
import { liveRecords, withPids } from './write-sql.ts';
import type { ColumnValues } from './payload.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { compileRowRules } from '../conditions/row-rules.ts';
import type { RecordData } from '../reader/record-reader.ts';

/** New values of a record. */
export interface RecordWrite {
  /** The record that they change; null for a new one. */
  readonly before: RecordData | null;
  readonly values: ColumnValues;
  /** Where it stands in the request; by default its fields are named by themselves. */
  readonly at?: string;
}

export interface RelationChecks {
  readonly withRowRules: boolean;
  /** Whether the named records have to stay until the transaction ends; by default they do. */
  readonly isLocked?: boolean;
}

/** A field of a record that names another record, or a user. */
interface Naming {
  readonly code: string;
  /** Where the field stands in the request. */
  readonly path: string;
  readonly pid: string;
  /** Whether the field names the same as before. */
  readonly isKept: boolean;
}

/**
 * A relation must point to a live record of the same tenant, which stays until the transaction ends. Where
 * row rules are checked, one that they hide is none: the answer must not tell that it exists. A user must be
 * a member of the tenant, or who writes. The number of statements does not depend on that of the records.
 * @throws VALIDATION_ERROR
 */
export async function checkRelations(
  transaction: Transaction,
  actor: Actor,
  model: Model,
  writes: readonly RecordWrite[],
  checks: RelationChecks,
): Promise<void> {
  throwIfInvalid(await problemsOfRelations(transaction, actor, model, writes, checks));
}

/** As `checkRelations`: what it would throw. */
export async function problemsOfRelations(
  transaction: Transaction,
  actor: Actor,
  model: Model,
  writes: readonly RecordWrite[],
  { withRowRules, isLocked = true }: RelationChecks,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  const namings = namingsIn(writes, model);
  if (namings.length === 0) return errors;
  const users = namings.filter(({ code, pid, isKept }) => {
    return model.fields.get(code)?.type === 'user' && !isKept && pid !== actor.userPid;
  });
  if (users.length > 0) {
    const members = await activeMembersAmong(transaction, actor.tenantId, pidsOf(users));
    for (const { path, pid } of users) if (!members.has(pid)) errors[path] = 'is not a member of the tenant';
  }
  const targets = Map.groupBy(namings, ({ code }) => model.fields.get(code)?.content?.target);
  for (const [target, named] of targets) {
    if (target === undefined) continue;
    const related = actor.metadata.model(target);
    // A relation that stays as it is names nothing new.
    for (const [isBound, own] of Map.groupBy(named, ({ isKept }) => withRowRules && !isKept)) {
      const found = await findRecords(transaction, actor, related, pidsOf(own), { withRowRules: isBound, isLocked });
      for (const { path, pid } of own) {
        if (!found.has(pid)) errors[path] = text('is not a record of {model}', { model: target });
      }
    }
  }
  return errors;
}

function namingsIn(writes: readonly RecordWrite[], model: Model): Naming[] {
  const codes = [...model.fields.values()].flatMap(({ code, type, content }) =>
    type === 'user' || content?.target !== undefined ? [code] : [],
  );
  if (codes.length === 0) return [];
  return writes.flatMap(({ before, values, at }) =>
    codes.flatMap((code) => {
      const pid = values.get(code);
      return typeof pid === 'string'
        ? [{ code, path: at === undefined ? code : `${at}.${code}`, pid, isKept: before?.[code] === pid }]
        : [];
    }),
  );
}

/** The pids of those records that are there. Locked ones are not deleted until the transaction ends. */
async function findRecords(
  transaction: Transaction,
  actor: Actor,
  model: Model,
  pids: readonly string[],
  { withRowRules, isLocked }: { readonly withRowRules: boolean; readonly isLocked: boolean },
): Promise<ReadonlySet<unknown>> {
  const parameters = new Parameters();
  const where = [...liveRecords(actor.tenantId, parameters), withPids(pids, parameters)];
  if (withRowRules) where.push(...compileRowRules(model, actor, parameters));
  const found = await transaction.queryRecords(
    `select t.pid from ${model.table} t where ${where.join(' and ')} ${isLocked ? 'order by t.id for share' : ''}`,
    parameters.values,
  );
  return new Set(found.map(({ pid }) => pid));
}

function pidsOf(namings: readonly Naming[]): string[] {
  return [...new Set(namings.map(({ pid }) => pid))];
}
