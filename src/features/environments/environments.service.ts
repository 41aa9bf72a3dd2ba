import { differenceOf, type PatchedDifference, type ResourceDifference, patchOf } from './environment-diff.ts';
import { LockMode } from '@mikro-orm/core';
import { personOf, type Actor } from '../../platform/auth/requests/actor.ts';
import { appendAudit, type AuditAction } from '../../platform/audit/audit-log.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import { usernameOf } from '../../platform/auth/accounts/usernames.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import { EnvironmentEntity, type Environment } from '../../platform/metadata/environments/environment.entity.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { ResourceEntity } from '../../platform/metadata/resources/resource.entity.ts';
import { planTableChange } from '../../platform/metadata/models/tables/table-change.ts';
import { isOfType, type EnvironmentResource } from '../../platform/metadata/resources/resource-type.ts';
import { applicationOf, ofApplication } from '../../platform/metadata/resources/common-content.ts';
import { storedResources } from '../../platform/metadata/resources/stored-resources.ts';
import { TableCatalog } from '../../platform/metadata/models/tables/table-catalog.ts';
import {
  isAgreement,
  isSamePolicy,
  policyOf,
  proposalOf,
  waitsForSecondPerson,
  type PolicyChange,
} from './approval-policy.ts';
import { toEnvironmentExport, type EnvironmentExport } from './environment-export.ts';
import { text } from '../../foundation/validation/schema.ts';

/** The variable part of paths that name an environment. */
export const ENVIRONMENT_PARAMETER = text({ description: 'The pid or the code of an environment' });

export interface EnvironmentDetails {
  readonly environment: Environment;
  /** Null for a service account, or where it is not locked. */
  readonly lockedByName: string | null;
  /** Resource type -> how many there are. */
  readonly resourceCounts: Readonly<Record<string, number>>;
}

/** `waits`: for a second person. */
export type ChangeOutcome = EnvironmentDetails & { readonly waits: boolean };

/** Whether a promotion into an environment can still be applied. */
export type HasOpenPromotion = (em: PlatformEntityManager, environmentId: number) => Promise<boolean>;

/** A difference with the DDL that promoting it implies. */
export type PhysicalDifference = PatchedDifference & {
  readonly application: string | null;
  readonly ddl: readonly string[];
};

export interface Diff {
  readonly source: string;
  readonly target: string;
  readonly added: PhysicalDifference[];
  readonly updated: PhysicalDifference[];
  readonly removed: PhysicalDifference[];
}

/** Spec: "Environment", "Environment write policy and lock", export and diff. */
export class EnvironmentsService {
  readonly #orm: PlatformOrm;
  readonly #hasOpenPromotion: HasOpenPromotion;

  constructor(orm: PlatformOrm, hasOpenPromotion: HasOpenPromotion) {
    this.#orm = orm;
    this.#hasOpenPromotion = hasOpenPromotion;
  }

  async list(): Promise<EnvironmentDetails[]> {
    const em = this.#orm.em.fork();
    const environments = await em.findAll(EnvironmentEntity, { orderBy: { id: 'asc' } });
    return Promise.all(environments.map((environment) => details(em, environment)));
  }

  /**
   * Locks or unlocks an environment. Asking for what is already so changes nothing and is not audited again.
   * Where the policy says so, unlocking waits for a second person while a promotion is open: its creator
   * would apply it alone.
   * @param pidOrCode the environment's pid, or its code
   * @throws NOT_FOUND
   */
  async setLock(actor: Actor, pidOrCode: string, locked: boolean, reason: string): Promise<ChangeOutcome> {
    return this.#orm.em.fork().transactional(async (em) => {
      const environment = await findEnvironment(em, pidOrCode, LockMode.PESSIMISTIC_WRITE);
      if (environment.locked === locked) return { ...(await details(em, environment)), waits: false };
      const before = lockState(environment);
      const target = { targetType: 'environment', targetPid: environment.pid, environment: environment.code } as const;
      const { pendingUnlock = null } = environment;
      const isAgreed = isAgreement(pendingUnlock, personOf(actor));
      if (!locked && !isAgreed && (await this.#needsSecondToUnlock(em, environment))) {
        const proposal = proposalOf(actor, reason);
        environment.pendingUnlock = proposal;
        await appendAudit(em, {
          actor,
          action: 'environment.unlock.propose',
          ...target,
          reason,
          before,
          after: proposal,
        });
        return { ...(await details(em, environment)), waits: true };
      }
      environment.pendingUnlock = null;
      environment.locked = locked;
      environment.lockReason = locked ? reason : null;
      environment.lockedBy = locked ? actor.userPid : null;
      environment.lockedAt = locked ? new Date() : null;
      await appendAudit(em, {
        actor,
        action: locked ? 'environment.lock' : 'environment.unlock',
        ...target,
        reason,
        before,
        after: { ...lockState(environment), ...(isAgreed && { proposedBy: pendingUnlock?.proposedBy }) },
      });
      return { ...(await details(em, environment)), waits: false };
    });
  }

  async #needsSecondToUnlock(em: PlatformEntityManager, { id, unlockApproval }: Environment): Promise<boolean> {
    return unlockApproval && (await this.#hasOpenPromotion(em, id));
  }

  /**
   * Changes who must agree before something is applied there; it holds for every promotion that is not
   * applied yet. Where four eyes are needed, a looser policy waits for a second person to ask for the same.
   * Asking for the present policy withdraws one that waits.
   * @returns the environment, and whether the change waits
   * @throws NOT_FOUND
   */
  async changePolicy(actor: Actor, pidOrCode: string, change: PolicyChange): Promise<ChangeOutcome> {
    return this.#orm.em.fork().transactional(async (em) => {
      const environment = await findEnvironment(em, pidOrCode, LockMode.PESSIMISTIC_WRITE);
      const { pid, code, pendingPolicy = null } = environment;
      const before = policyOf(environment);
      const wanted = { ...before, ...change.approvalPolicy };
      const { reason } = change;
      const target = { targetType: 'environment', targetPid: pid, environment: code } as const;
      const audit = (action: AuditAction, after: object): Promise<void> =>
        appendAudit(em, { actor, action, ...target, reason, before, after });

      if (waitsForSecondPerson(environment, wanted, personOf(actor))) {
        environment.pendingPolicy = { approvalPolicy: wanted, ...proposalOf(actor, reason) };
        await audit('environment.policy.propose', wanted);
        return { ...(await details(em, environment)), waits: true };
      }
      environment.pendingPolicy = null;
      if (!isSamePolicy(wanted, before)) {
        Object.assign(environment, wanted);
        const proposedBy =
          pendingPolicy && isSamePolicy(pendingPolicy.approvalPolicy, wanted) && pendingPolicy.proposedBy;
        await audit('environment.policy', { ...wanted, ...(proposedBy && { proposedBy }) });
      } else if (pendingPolicy) {
        await audit('environment.policy.withdraw', { withdrawn: pendingPolicy });
      }
      return { ...(await details(em, environment)), waits: false };
    });
  }

  /** @throws NOT_FOUND */
  async export(actor: Actor, pidOrCode: string): Promise<EnvironmentExport> {
    return this.#orm.em.fork().transactional(async (em) => {
      const { pid, code } = await findEnvironment(em, pidOrCode);
      const exported = toEnvironmentExport(code, await em.find(ResourceEntity, { environment: code }));
      const after = { checksum: exported.checksum, resources: exported.resources.length };
      const target = { targetType: 'environment', targetPid: pid, environment: code } as const;
      await appendAudit(em, { actor, action: 'environment.export', ...target, after });
      return exported;
    });
  }

  /**
   * What a promotion of everything from source to target would do, or of everything that an application has.
   * @throws NOT_FOUND
   */
  async diff(sourceCode: string, targetCode: string, app?: string): Promise<Diff> {
    return this.#orm.em.fork().transactional((em) => diffOf(em, sourceCode, targetCode, app), { readOnly: true });
  }
}

async function diffOf(
  em: PlatformEntityManager,
  sourceCode: string,
  targetCode: string,
  app: string | undefined,
): Promise<Diff> {
  const source = await findEnvironment(em, sourceCode);
  const target = await findEnvironment(em, targetCode);
  // One statement: both ends as they were at the same moment.
  const all = await storedResources(em, [source.code, target.code]);
  const both = app === undefined ? all : ofApplication(all, app);
  const inSource = both.filter(({ environment }) => environment === source.code);
  const inTarget = both.filter(({ environment }) => environment === target.code);
  const { added, updated, removed } = await differenceOf(inSource, inTarget);
  const sourceByPid = new Map(inSource.map((resource) => [resource.pid, resource]));
  const targetByPid = new Map(inTarget.map((resource) => [resource.pid, resource]));
  const models = [...added, ...updated].filter(({ resourceType }) => resourceType === MODEL.name);
  const catalog = await TableCatalog.read(
    em,
    target.code,
    models.map(({ code }) => code),
  );
  const physical = async (differences: ResourceDifference[]): Promise<PhysicalDifference[]> => {
    const found: PhysicalDifference[] = [];
    for (const difference of differences) {
      await letOthersRun();
      const from = sourceByPid.get(difference.pid);
      const to = targetByPid.get(difference.pid);
      const named = from ?? to;
      const application = named ? applicationOf(named) : null;
      const ddl = await ddlOf(em, target.code, from, to, catalog);
      found.push({ ...difference, application, patch: patchOf(from, to), ddl });
    }
    return found;
  };
  return {
    source: source.code,
    target: target.code,
    added: await physical(added),
    updated: await physical(updated),
    removed: await physical(removed),
  };
}

/** @param pidOrCode both are accepted wherever a path names an environment @throws NOT_FOUND */
export async function findEnvironment(
  em: PlatformEntityManager,
  pidOrCode: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<Environment> {
  const found = await em.findOne(EnvironmentEntity, { $or: [{ pid: pidOrCode }, { code: pidOrCode }] }, { lockMode });
  if (!found) throw notFound('There is no such environment');
  return found;
}

/**
 * The statements by which the target's table would follow a source that is a model. Inside a transaction
 * only.
 */
export async function ddlOf(
  em: PlatformEntityManager,
  target: string,
  source: EnvironmentResource | undefined,
  before: EnvironmentResource | undefined,
  catalog: TableCatalog,
): Promise<readonly string[]> {
  if (!isOfType(source, MODEL)) return [];
  const contentBefore = isOfType(before, MODEL) ? before.content : undefined;
  return (await planTableChange(em, target, source.code, source.content, contentBefore, catalog)).statements;
}

async function details(em: PlatformEntityManager, environment: Environment): Promise<EnvironmentDetails> {
  const counts = await em.countBy(ResourceEntity, 'resourceType', { where: { environment: environment.code } });
  const lockedByName = await usernameOf(em, environment.lockedBy);
  return { environment, lockedByName, resourceCounts: Object.fromEntries(Object.entries(counts).sort()) };
}

function lockState({ locked, lockReason, lockedBy, lockedAt }: Environment) {
  return { locked, lockReason, lockedBy, lockedAt };
}
