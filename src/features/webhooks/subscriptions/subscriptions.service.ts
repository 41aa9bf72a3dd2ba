import { containing } from '../../../foundation/database/containing.ts';
import { HOUR_MS } from '../../../foundation/durations.ts';
import { LockMode, type FilterQuery } from '@mikro-orm/core';
import { appendAudit, type AuditFact } from '../../../platform/audit/audit-log.ts';
import { type Actor, ownerOf } from '../../../platform/auth/requests/actor.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../../foundation/database/orm.ts';
import { sqlRunnerOf } from '../../../foundation/database/sql-runner.ts';
import { newPid } from '../../../foundation/database/pid.ts';
import { conflict, notFound, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { cancelUnfinished } from '../deliveries/delivery-admin.ts';
import { auditedSubscription, readableHeaders, settingsOf, type SubscriptionDetails } from './present-subscription.ts';
import { isMoved, leaveOrigin, replaceCredentials, resetEndpoint } from './subscription-credentials.ts';
import { maskWithoutValue, problemOfHeaders } from './subscription-headers.ts';
import { isSaved, type Rotation, type SubscriptionRequest, type SubscriptionSettings } from './subscription-request.ts';
import { authorizeInterest, checkInterest, refuseOfChannel } from './subscription-rules.ts';
import { suspensionsOf, orphanedFinder, type FindOrphaned } from '../../../platform/auth/orphaned.ts';
import { newSecret, rotated, sealHeaders, sealSecret } from '../subscription-secrets.ts';
import { EndpointEntity, SubscriptionEntity, type Subscription } from '../subscription.entity.ts';
import { toColumn, type Message, quoted, text } from '../../../foundation/i18n/text.ts';
import { MAX_SUBSCRIPTIONS_PER_TENANT } from '../webhooks.limits.ts';
import { CHANNEL_REPLY } from '../../../platform/events/audience/channel-replies.ts';
import { WEBHOOK_MANAGE } from '../../../platform/metadata/permissions/permission-codes.ts';
import type { SnapshotCache } from '../../../platform/metadata/snapshot/snapshot-cache.ts';

/** Whom a subscription reads as, and whose rights it needs for that. */
function ownerFields(actor: Actor) {
  const { roles, userPid, username } = actor;
  return { roles: [...roles], createdBy: userPid, createdByName: username, ownedBy: ownerOf(actor) };
}

/**
 * Has a subscription read as the actor, and need the actor's rights, from now on.
 * @throws FORBIDDEN for a subscription to what the actor may not read, CONFLICT (CHANNEL)
 */
async function adopt(em: PlatformEntityManager, actor: Actor, subscription: Subscription): Promise<void> {
  refuseOfChannel(subscription);
  authorizeInterest(actor, settingsOf(subscription));
  const { pid: targetPid, environment, ownedBy: owner, roles } = subscription;
  em.assign(subscription, { ...ownerFields(actor), updatedAt: new Date() });
  const after = { owner: subscription.ownedBy, roles: subscription.roles };
  const target = { targetType: 'webhook', targetPid, environment } as const;
  await appendAudit(em, { actor, action: 'webhook.adopt', ...target, before: { owner, roles }, after });
}

/** Finds the paused subscriptions that a person leaves behind. */
export function orphanedSubscriptions(snapshots: SnapshotCache): FindOrphaned {
  return orphanedFinder<Subscription>(snapshots, {
    kind: 'webhook',
    managedWith: WEBHOOK_MANAGE,
    find(em, ownedBy, tenantId) {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      // Those of channels are left behind, and adopted, with their channels.
      const where = { ownedBy, tenantId, deletedAt: null, eventType: { $ne: CHANNEL_REPLY } };
      return em.find(SubscriptionEntity, where, { lockMode, orderBy: { id: 'asc' } });
    },
    nameOf: ({ name }) => name,
    adopt,
  });
}

interface SubscriptionFilter {
  readonly eventType?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** A part of the name, ignoring case. */
  readonly keyword?: string | undefined;
}

/** Says what is wrong with a URL that is to be called, or null. */
type TargetCheck = (url: string) => Promise<Message | null>;

/** Subscriptions of the actor's tenant in the environment of their request. Spec: "Webhook subscription". */
export class SubscriptionsService {
  readonly #orm: PlatformOrm;
  readonly #box: SecretBox;
  readonly #problemOfTarget: TargetCheck;

  constructor(orm: PlatformOrm, box: SecretBox, problemOfTarget: TargetCheck) {
    this.#orm = orm;
    this.#box = box;
    this.#problemOfTarget = problemOfTarget;
  }

  async list(
    actor: Actor,
    { eventType, enabled, keyword }: SubscriptionFilter,
    pageNum: number,
    pageSize: number,
  ): Promise<{ records: SubscriptionDetails[]; total: number }> {
    const em = this.#orm.em.fork();
    const where: FilterQuery<Subscription> = {
      ...ownedBy(actor),
      ...(eventType !== undefined && { eventType }),
      ...(enabled !== undefined && { enabled }),
      ...(keyword !== undefined && { name: containing(keyword) }),
    };
    const [subscriptions, total] = await em.findAndCount(SubscriptionEntity, where, {
      orderBy: { id: 'desc' },
      limit: pageSize,
      offset: (pageNum - 1) * pageSize,
    });
    const endpoints = await em.find(EndpointEntity, { subscriptionPid: { $in: subscriptions.map(({ pid }) => pid) } });
    const byPid = new Map(endpoints.map((endpoint) => [endpoint.subscriptionPid, endpoint]));
    const pauses = await suspensionsOf(em, actor.tenantId, subscriptions, actor.metadata);
    const records = subscriptions.map((subscription) => {
      return { subscription, endpoint: byPid.get(subscription.pid), paused: pauses.get(subscription) ?? null };
    });
    return { records, total };
  }

  /** @throws NOT_FOUND */
  async get(actor: Actor, pid: string): Promise<SubscriptionDetails> {
    const em = this.#orm.em.fork();
    return detailsOf(em, actor, await find(em, actor, pid));
  }

  /**
   * Problems of a new subscription, or of a change of one, beyond the form of its fields.
   * @param errors collects it, by field
   * @param pid of the one that is to change
   * @throws NOT_FOUND
   */
  async check(actor: Actor, request: SubscriptionRequest, errors: FieldErrors, pid?: string): Promise<void> {
    const current = pid === undefined ? null : await find(this.#orm.em.fork(), actor, pid);
    const { settings, headers } = request;
    if (current && !isSaved(request)) return;
    checkInterest({ modelCode: current?.modelCode ?? null, ...settings }, actor.metadata, errors);
    if (headers) {
      const stored = (current && !isMoved(current, request) && readableHeaders(current, this.#box)) || {};
      const problem = problemOfHeaders(headers);
      const masked = problem === null ? maskWithoutValue(headers, stored) : undefined;
      if (problem !== null) errors.headers = problem;
      if (masked !== undefined)
        errors.headers = text('{name} has no stored value that *** could stand for', { name: masked });
    }
    if (settings.targetUrl !== undefined) {
      const problem = await this.#problemOfTarget(settings.targetUrl);
      if (problem !== null) errors.targetUrl = problem;
    }
  }

  /** @throws FORBIDDEN for a subscription to what the actor may not read, CONFLICT (LIMIT) */
  async create(actor: Actor, { settings: given, headers, secret }: SubscriptionRequest): Promise<SubscriptionDetails> {
    // The schema of a new one has filled in what is not named.
    const settings = given as SubscriptionSettings;
    authorizeInterest(actor, settings);
    const pid = newPid();
    const now = new Date();
    return this.#orm.em.fork().transactional(async (em) => {
      await refuseTooMany(em, actor);
      const subscription = em.create(SubscriptionEntity, {
        ...settings,
        ...ownerFields(actor),
        pid,
        environment: actor.metadata.environment,
        tenantId: actor.tenantId,
        secrets: typeof secret === 'string' ? [sealSecret(this.#box, pid, secret, now)] : [],
        headers: sealHeaders(this.#box, pid, headers ?? {}),
        createdAt: now,
        updatedAt: now,
      });
      await em.flush();
      const endpoint = em.create(EndpointEntity, { subscriptionPid: pid, refilledAt: now });
      await em.flush();
      await this.#audit(em, actor, 'webhook.create', subscription, { after: this.#audited(subscription) });
      return { subscription, endpoint, paused: null };
    });
  }

  /**
   * Changes what the request names. A change of more than `enabled` makes the actor its owner.
   * @returns the subscription, whether stored credentials were removed, and the secret that was made instead
   * @throws NOT_FOUND, FORBIDDEN
   */
  async update(
    actor: Actor,
    pid: string,
    request: SubscriptionRequest,
  ): Promise<SubscriptionDetails & { removed: boolean; secret?: string | undefined }> {
    const { enabled, ...others } = request.settings;
    const isWhole = isSaved(request);
    let secret: string | undefined;
    let removed = false;
    const details = await this.#change(actor, pid, async (em, subscription) => {
      const before = this.#audited(subscription);
      if (isWhole) {
        refuseOfChannel(subscription);
        authorizeInterest(actor, { ...settingsOf(subscription), ...others });
        if (isMoved(subscription, request)) {
          removed = before.secrets > 0 || subscription.headers !== null;
          secret = await leaveOrigin(em, this.#box, subscription, request);
        }
        em.assign(subscription, { ...others, ...ownerFields(actor), updatedAt: new Date() });
        replaceCredentials(this.#box, subscription, request);
      }
      if (enabled !== undefined && enabled !== subscription.enabled) await toggle(em, subscription, enabled, null);
      const after = this.#audited(subscription);
      if (!isWhole && before.enabled === after.enabled) return;
      const action = isWhole ? 'webhook.update' : after.enabled ? 'webhook.enable' : 'webhook.disable';
      await this.#audit(em, actor, action, subscription, { before, after });
    });
    return { ...details, removed, secret };
  }

  /** Enables or disables it. Asking for what is already so changes nothing. @throws NOT_FOUND */
  async setEnabled(
    actor: Actor,
    pid: string,
    enabled: boolean,
    reason: string | null = null,
  ): Promise<SubscriptionDetails> {
    return this.#change(actor, pid, async (em, subscription) => {
      if (subscription.enabled === enabled) return;
      const before = this.#audited(subscription);
      await toggle(em, subscription, enabled, reason);
      const action = enabled ? 'webhook.enable' : 'webhook.disable';
      await this.#audit(em, actor, action, subscription, { before, after: this.#audited(subscription), reason });
    });
  }

  /** Makes the actor its owner, so that it goes on. @throws NOT_FOUND, FORBIDDEN */
  async adopt(actor: Actor, pid: string): Promise<SubscriptionDetails> {
    return this.#change(actor, pid, (em, subscription) => adopt(em, actor, subscription));
  }

  /** Its deliveries stay in the log's tables, but no endpoint shows them any more. @throws NOT_FOUND */
  async delete(actor: Actor, pid: string): Promise<void> {
    await this.#change(actor, pid, async (em, subscription) => {
      subscription.deletedAt = new Date();
      await em.flush();
      await cancelUnfinished(sqlRunnerOf(em), pid, 'subscription deleted');
      await this.#audit(em, actor, 'webhook.delete', subscription, { before: this.#audited(subscription) });
    });
  }

  /**
   * Puts a new secret first; those before it go on signing for the overlap.
   * @returns the subscription, and the secret, which is shown this once
   * @throws NOT_FOUND
   */
  async rotateSecret(
    actor: Actor,
    pid: string,
    { overlapHours, secret = newSecret() }: Rotation,
  ): Promise<SubscriptionDetails & { secret: string }> {
    const details = await this.#change(actor, pid, async (em, subscription) => {
      refuseOfChannel(subscription);
      const before = { secrets: subscription.secrets.length };
      const now = new Date();
      const newest = sealSecret(this.#box, pid, secret, now);
      subscription.secrets = rotated(this.#box, subscription, newest, overlapHours * HOUR_MS, now);
      subscription.updatedAt = now;
      const after = { secrets: subscription.secrets.length, overlapHours };
      await this.#audit(em, actor, 'webhook.rotate-secret', subscription, { before, after });
    });
    return { ...details, secret };
  }

  async #change(
    actor: Actor,
    pid: string,
    work: (em: PlatformEntityManager, subscription: Subscription) => Promise<void>,
  ): Promise<SubscriptionDetails> {
    return this.#orm.em.fork().transactional(async (em) => {
      const subscription = await find(em, actor, pid, LockMode.PESSIMISTIC_WRITE);
      await work(em, subscription);
      return detailsOf(em, actor, subscription);
    });
  }

  #audited(subscription: Subscription) {
    const headers = readableHeaders(subscription, this.#box);
    return auditedSubscription(subscription, headers && Object.keys(headers));
  }

  #audit(
    em: PlatformEntityManager,
    actor: Actor,
    action: AuditFact['action'],
    { pid, environment }: Subscription,
    content: Pick<AuditFact, 'before' | 'after' | 'reason'>,
  ): Promise<void> {
    return appendAudit(em, { actor, action, targetType: 'webhook', targetPid: pid, environment, ...content });
  }
}

function ownedBy(actor: Actor) {
  return { environment: actor.metadata.environment, tenantId: actor.tenantId, deletedAt: null };
}

/** @throws NOT_FOUND, also for another tenant's */
async function find(
  em: PlatformEntityManager,
  actor: Actor,
  pid: string,
  lockMode: LockMode = LockMode.NONE,
): Promise<Subscription> {
  const found = await em.findOne(SubscriptionEntity, { pid, ...ownedBy(actor) }, { lockMode });
  if (!found) throw notFound('There is no such subscription');
  return found;
}

async function detailsOf(
  em: PlatformEntityManager,
  { tenantId, metadata }: Actor,
  subscription: Subscription,
): Promise<SubscriptionDetails> {
  const endpoint = await em.findOne(EndpointEntity, { subscriptionPid: subscription.pid }, { refresh: true });
  const pauses = await suspensionsOf(em, tenantId, [subscription], metadata);
  return { subscription, endpoint: endpoint ?? undefined, paused: pauses.get(subscription) ?? null };
}

async function toggle(
  em: PlatformEntityManager,
  subscription: Subscription,
  enabled: boolean,
  reason: string | null,
): Promise<void> {
  const { pid } = subscription;
  em.assign(subscription, {
    enabled,
    disabledReason: enabled || reason === null ? null : toColumn(quoted(reason)),
    updatedAt: new Date(),
  });
  await em.flush();
  if (enabled) await resetEndpoint(em, pid);
  else await cancelUnfinished(sqlRunnerOf(em), pid, 'subscription disabled');
}

/** One request at a time counts, so that two cannot both take the last place. @throws CONFLICT (LIMIT) */
async function refuseTooMany(em: PlatformEntityManager, actor: Actor): Promise<void> {
  const owner = `webhooks of ${actor.metadata.environment}:${actor.tenantId}`;
  await sqlRunnerOf(em).query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [owner]);
  const count = await em.count(SubscriptionEntity, ownedBy(actor));
  if (count >= MAX_SUBSCRIPTIONS_PER_TENANT) {
    throw conflict('LIMIT', text('There are {count} subscriptions already', { count }), {
      limit: MAX_SUBSCRIPTIONS_PER_TENANT,
    });
  }
}
