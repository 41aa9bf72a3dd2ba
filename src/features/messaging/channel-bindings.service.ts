import { LockMode } from '@mikro-orm/core';
import { ownerOf, type Actor, type Identity } from '../../platform/auth/requests/actor.ts';
import { suspensionsOf } from '../../platform/auth/left-behind.ts';
import type { Suspension } from '../../platform/auth/accounts/vouching.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import type { IdentityResolver } from '../assistant/conversations/identity-resolver.ts';
import type { Conversation } from '../assistant/conversations/conversation.entity.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import { isActiveTenant } from '../../platform/auth/requests/active-tenant.ts';
import { newPid } from '../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import { conflict, notFound, validationError, type FieldErrors } from '../../foundation/errors/application-error.ts';
import { PLATFORM_ADMIN } from '../../platform/metadata/permissions/permissions.ts';
import type { OutboundHttp } from '../../foundation/outbound/outbound-http.ts';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import { CHANNEL_REPLY } from '../../platform/events/audience/channel-replies.ts';
import { sqlRunnerOf } from '../../foundation/database/orm.ts';
import { cancelUnfinished } from '../webhooks/deliveries/delivery-admin.ts';
import { isOtherOrigin } from '../webhooks/subscriptions/subscription-credentials.ts';
import { EndpointEntity, SubscriptionEntity } from '../webhooks/subscription.entity.ts';
import { sealSecret } from '../webhooks/subscription-secrets.ts';
import { ChannelBindingEntity, contextOf, nameOf, type ChannelBinding } from './channel-binding.entity.ts';
import { IM_CHANNEL } from './channel-type.ts';
import { text } from '../../foundation/i18n/text.ts';
import { ATTEMPT_TIMEOUT_MS, RETRIES } from '../webhooks/webhooks.limits.ts';

export interface BindingRequest {
  /** Null keeps the secret. */
  readonly secret: string | null;
  readonly roles: readonly string[];
  readonly replyUrl: string | null;
}

/** Binds the channels of an environment to tenants. docs/decisions/0027 */
export class ChannelBindings implements IdentityResolver {
  readonly #orm: PlatformOrm;
  readonly #snapshots: SnapshotCache;
  readonly #box: SecretBox;
  readonly #outbound: Pick<OutboundHttp, 'problemOfTargetUrl'>;

  constructor(
    orm: PlatformOrm,
    snapshots: SnapshotCache,
    box: SecretBox,
    outbound: Pick<OutboundHttp, 'problemOfTargetUrl'>,
  ) {
    this.#orm = orm;
    this.#snapshots = snapshots;
    this.#box = box;
    this.#outbound = outbound;
  }

  async find(environment: string, channelCode: string): Promise<ChannelBinding | null> {
    return this.#orm.em.fork().findOne(ChannelBindingEntity, { environment, channelCode });
  }

  /** @throws SecretUnreadableError */
  secretOf(binding: ChannelBinding): string {
    return this.#box.open(binding.secret, contextOf(binding), nameOf(binding));
  }

  /** In a channel, an assistant acts with the current roles of the binding, while its owner may give them. */
  async resolve({ userPid: pid, tenantId }: Conversation): Promise<Identity | null> {
    const em = this.#orm.em.fork();
    const binding = await em.findOne(ChannelBindingEntity, { pid, tenantId });
    if (!binding || !(await isActiveTenant(em, tenantId)) || (await this.suspensionOf(binding))) return null;
    const { channelCode, roles } = binding;
    return { userId: '0', userPid: pid, username: `im:${channelCode}`, tenantId, roles };
  }

  async suspensionOf(binding: ChannelBinding): Promise<Suspension | null> {
    const metadata = await this.#snapshots.current(binding.environment);
    return (await suspensionsOf(this.#orm.em.fork(), binding.tenantId, [binding], metadata)).get(binding) ?? null;
  }

  async list({ metadata, tenantId }: Actor): Promise<PresentedBinding[]> {
    const where = { environment: metadata.environment, tenantId };
    const em = this.#orm.em.fork();
    const found = await em.find(ChannelBindingEntity, where, { orderBy: { channelCode: 'asc' } });
    const suspensions = await suspensionsOf(em, tenantId, found, metadata);
    return found.map((one) => presentBinding(one, suspensions.get(one)));
  }

  /**
   * Checks the roles and the URL of a binding.
   * @param errors collects the problems by field
   * @throws NOT_FOUND for an unknown channel
   */
  async check(
    actor: Actor,
    channelCode: string,
    { roles = [], replyUrl = null }: Partial<BindingRequest>,
    errors: FieldErrors,
  ): Promise<void> {
    actor.metadata.get(IM_CHANNEL, channelCode);
    const refused = roles.find((role) => !mayGive(actor, role));
    if (refused !== undefined) errors.roles = text('{role} is not yours to give', { role: refused.slice(0, 64) });
    const problem = replyUrl === null ? null : await this.#outbound.problemOfTargetUrl(replyUrl);
    if (problem !== null) errors.replyUrl = problem;
  }

  /**
   * Binds a channel of the request's environment to the request's tenant, or changes its binding.
   * @throws CONFLICT (BOUND) if another tenant has it, SecretUnreadableError; VALIDATION_ERROR for a new one
   *   without a secret
   */
  async bind(actor: Actor, channelCode: string, request: BindingRequest): Promise<ChannelBinding> {
    return this.#orm.em.fork().transactional(async (em) => {
      const where = { environment: actor.metadata.environment, channelCode };
      const known = await em.findOne(ChannelBindingEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (known && known.tenantId !== actor.tenantId) throw conflict('BOUND', 'The channel is bound to another tenant');
      if (!known && request.secret === null) throw validationError({ secret: 'is required' });
      const before = known && presentBinding(known);
      const binding = known ?? this.#newBinding(em, actor, channelCode);
      if (request.secret !== null) binding.secret = this.#box.seal(request.secret, contextOf(binding));
      const { roles, replyUrl } = request;
      Object.assign(binding, { roles: [...roles], replyUrl, ownedBy: ownerOf(actor), updatedAt: new Date() });
      await em.flush();
      await this.#subscribe(em, actor, binding, request.secret);
      const target = { targetType: 'im_channel', targetPid: binding.pid, environment: binding.environment } as const;
      await appendAudit(em, { actor, action: 'im.bind', ...target, before, after: presentBinding(binding) });
      return binding;
    });
  }

  /** Removes a binding and keeps its conversations. @throws NOT_FOUND */
  async unbind(actor: Actor, channelCode: string): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      const where = { environment: actor.metadata.environment, channelCode, tenantId: actor.tenantId };
      const binding = await em.findOne(ChannelBindingEntity, where);
      if (!binding) throw notFound('The channel is not bound');
      const { environment, subscriptionPid } = binding;
      const before = presentBinding(binding);
      if (subscriptionPid) {
        await em.nativeUpdate(SubscriptionEntity, { pid: subscriptionPid }, { enabled: false, deletedAt: new Date() });
      }
      const target = { targetType: 'im_channel', targetPid: binding.pid, environment } as const;
      em.remove(binding);
      await appendAudit(em, { actor, action: 'im.unbind', ...target, before });
    });
  }

  #newBinding(em: PlatformEntityManager, actor: Actor, channelCode: string): ChannelBinding {
    return em.create(ChannelBindingEntity, {
      pid: newPid(),
      environment: actor.metadata.environment,
      channelCode,
      tenantId: actor.tenantId,
      roles: [],
      secret: '',
      createdBy: actor.userPid,
      createdByName: actor.username,
      ownedBy: ownerOf(actor),
    });
  }

  /**
   * Maintains the webhook subscription that delivers replies. No event matches it: each reply adds its
   * delivery.
   */
  async #subscribe(
    em: PlatformEntityManager,
    actor: Actor,
    binding: ChannelBinding,
    secret: string | null,
  ): Promise<void> {
    const { replyUrl, environment, tenantId, channelCode } = binding;
    const now = new Date();
    let known = binding.subscriptionPid ? await em.findOne(SubscriptionEntity, { pid: binding.subscriptionPid }) : null;
    if (known && replyUrl && isOtherOrigin(known.targetUrl, replyUrl)) {
      // What was said before is not for the new address, nor is it sent there again.
      Object.assign(known, { enabled: false, deletedAt: now });
      await em.flush();
      await cancelUnfinished(sqlRunnerOf(em), known.pid, 'sent to another address before');
      known = null;
    }
    if (!replyUrl) {
      if (known) Object.assign(known, { enabled: false, updatedAt: now });
      return em.flush();
    }
    const pid = known?.pid ?? newPid();
    const secrets = [sealSecret(this.#box, pid, secret ?? this.secretOf(binding), now)];
    if (known) {
      const enabled = { enabled: true, disabledReason: null, deletedAt: null };
      // As an adoption: who binds it anew answers for what the channel reads.
      const owner = { roles: [...binding.roles], ownedBy: ownerOf(actor) };
      Object.assign(known, { ...enabled, ...owner, targetUrl: replyUrl, secrets, updatedAt: now });
      return em.flush();
    }
    em.create(SubscriptionEntity, {
      pid,
      environment,
      tenantId,
      name: `IM channel ${channelCode}`,
      targetUrl: replyUrl,
      eventType: CHANNEL_REPLY,
      maxRetries: RETRIES.default,
      timeoutMs: ATTEMPT_TIMEOUT_MS.default,
      ordering: 'none',
      enabled: true,
      roles: [...binding.roles],
      createdBy: actor.userPid,
      createdByName: actor.username,
      ownedBy: ownerOf(actor),
      secrets,
    });
    await em.flush();
    em.create(EndpointEntity, { subscriptionPid: pid });
    binding.subscriptionPid = pid;
    await em.flush();
  }
}

export type PresentedBinding = ReturnType<typeof presentBinding>;

/** A binding, without its secret. */
export function presentBinding(binding: ChannelBinding, suspended: Suspension | null = null) {
  const { channelCode: channel, roles, replyUrl = null, subscriptionPid = null } = binding;
  const { ownedBy, createdAt, updatedAt } = binding;
  const secret = { hasSecret: true };
  return { channel, roles: [...roles], replyUrl, subscriptionPid, ...secret, ownedBy, suspended, createdAt, updatedAt };
}

/** Everyone in the channel reads with its roles, so a user gives only roles of their own. */
export function mayGive({ roles }: Actor, role: string): boolean {
  if (role === PLATFORM_ADMIN) return false;
  return roles.includes('ADMIN') || roles.includes(PLATFORM_ADMIN) || roles.includes(role);
}
