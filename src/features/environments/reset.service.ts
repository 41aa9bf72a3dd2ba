import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import type { EmptiedData } from '../../foundation/database/emptied-data.ts';
import type { SqlRunner } from '../../foundation/database/pool.ts';
import { sqlRunnerOf } from '../../foundation/database/sql-runner.ts';
import { conflict, throwIfInvalid, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import { TenantEntity } from '../../platform/auth/accounts/tenant.entity.ts';
import { UserEntity } from '../../platform/auth/accounts/user.entity.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { lockEnvironment, untilTablesAreFree } from '../../platform/metadata/changes/resources.service.ts';
import { requireDesignable } from '../../platform/metadata/environments/write-policy.ts';
import { countRecords, truncateRecords } from '../../platform/metadata/models/tables/emptied-tables.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { checkSeeds, type GivenSeeds, type Seeds } from '../../platform/records/seeding/given-seeds.ts';
import { insertRecords } from '../../platform/records/seeding/insert-records.ts';
import type { TotalsCache } from '../../platform/records/totals-cache.ts';
import { problemOfWrite } from '../../platform/records/writing/write-problems.ts';
import { findEnvironment } from './environments.service.ts';

/** The environment whose records may be emptied. */
const RESETTABLE = 'dev';

/** What a reset removes. */
export interface ResetPreview {
  readonly environment: string;
  /** All records, of all tenants, deleted ones included. */
  readonly recordCount: number;
  readonly models: readonly { readonly modelCode: string; readonly records: number }[];
  /** What goes with them: name -> how many. */
  readonly others: Readonly<Record<string, number>>;
}

export interface ResetOrder {
  /** Consent: the number of records that its caller knows of. */
  readonly recordCount: number;
  readonly reason?: string | null;
}

interface ResetParts {
  readonly orm: PlatformOrm;
  readonly snapshots: SnapshotCache;
  readonly totals: TotalsCache;
  /** What the features have beside the records. */
  readonly emptied: readonly EmptiedData[];
}

/** Empties the records of `dev`, with what they have left, and writes others in their place. */
export class ResetService {
  readonly #parts: ResetParts;

  constructor(parts: ResetParts) {
    this.#parts = parts;
  }

  /** @throws NOT_FOUND; CONFLICT (POLICY) for another environment */
  async preview(pidOrCode: string): Promise<ResetPreview> {
    return this.#parts.orm.em.fork().transactional(async (em) => {
      const { code } = await findEnvironment(em, pidOrCode);
      requireResettable(code);
      return this.#previewIn(sqlRunnerOf(em), code);
    });
  }

  /** The records to begin with, checked: they may refer to each other alone. */
  async check(given: readonly GivenSeeds[], errors: FieldErrors): Promise<Seeds[]> {
    const { orm, snapshots } = this.#parts;
    const em = orm.em.fork();
    const tenants = await em.findAll(TenantEntity, { fields: ['id', 'name', 'timeZone'] });
    const findUsers = async (pids: string[]) => {
      const found = pids.length === 0 ? [] : await em.find(UserEntity, { pid: { $in: pids } }, { fields: ['pid'] });
      return new Set(found.map(({ pid }) => pid));
    };
    return checkSeeds(given, await snapshots.current(RESETTABLE), { tenants, findUsers }, errors);
  }

  /**
   * All or nothing, in one transaction. Work that is under way ends when it finds its rows gone; users,
   * configuration, saved views, subscriptions, conversations and the audit trail stay.
   * @throws NOT_FOUND; CONFLICT (POLICY, UNIQUE, OVERLAP); ENVIRONMENT_LOCKED; VALIDATION_ERROR for another
   *   number of records; SERVICE_UNAVAILABLE (LOCKED) when a table does not come free
   */
  async reset(actor: Actor, pidOrCode: string, order: ResetOrder, seeds: readonly Seeds[]): Promise<ResetPreview> {
    const { orm, snapshots } = this.#parts;
    const { code } = await findEnvironment(orm.em.fork(), pidOrCode);
    requireResettable(code);
    const removed = await untilTablesAreFree(() =>
      orm.em.fork().transactional((em) => this.#resetIn(em, actor, code, order, seeds)),
    );
    await this.#announce(code, [...(await snapshots.current(code)).models.keys()]);
    return removed;
  }

  async #resetIn(
    em: PlatformEntityManager,
    actor: Actor,
    code: string,
    { recordCount, reason = null }: ResetOrder,
    seeds: readonly Seeds[],
  ): Promise<ResetPreview> {
    const environment = await lockEnvironment(em, code);
    requireDesignable(environment);
    const sql = sqlRunnerOf(em);
    await sql.query(`set local lock_timeout = '2s'`);
    const before = await this.#previewIn(sql, code);
    if (before.recordCount !== recordCount)
      throwIfInvalid({
        recordCount: text('is {count} by now, not {given}', { count: before.recordCount, given: recordCount }),
      });
    // Work ends before its tables are locked: it holds its own row while it writes records.
    for (const data of this.#parts.emptied) await data.empty(sql, code);
    await truncateRecords(sql, code);
    for (const { model, tenantId, timeZone, records } of seeds) {
      await insertRecords(sql, model, tenantId, actor.userPid, records, timeZone).catch((error: unknown) => {
        throw problemOfWrite(error, model, []);
      });
    }
    await appendAudit(em, {
      actor,
      action: 'environment.reset',
      targetType: 'environment',
      targetPid: environment.pid,
      environment: code,
      reason,
      before: { recordCount: before.recordCount, ...before.others },
      after: { recordCount: seeds.reduce((sum, { records }) => sum + records.length, 0) },
    });
    return before;
  }

  async #previewIn(sql: SqlRunner, environment: string): Promise<ResetPreview> {
    const counts = await countRecords(sql, environment);
    const others: Record<string, number> = {};
    for (const data of this.#parts.emptied) others[data.name] = await data.count(sql, environment);
    const models = [...counts].map(([modelCode, records]) => ({ modelCode, records }));
    return { environment, recordCount: models.reduce((sum, { records }) => sum + records, 0), models, others };
  }

  /** Cached totals of all tenants are stale, and who watches a record looks again. */
  async #announce(environment: string, models: readonly string[]): Promise<void> {
    const tenants = await this.#parts.orm.em.fork().findAll(TenantEntity, { fields: ['id'] });
    const scopes = tenants.flatMap(({ id: tenantId }) =>
      models.map((modelCode) => ({ environment, tenantId, modelCode })),
    );
    if (scopes.length > 0) await this.#parts.totals.stamp(scopes);
  }
}

function requireResettable(environment: string): void {
  if (environment !== RESETTABLE) throw conflict('POLICY', 'Only the records of dev can be emptied');
}
