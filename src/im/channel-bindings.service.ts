import { LockMode } from '@mikro-orm/core';
import type { Identities, Identity } from '../assistant/identity.ts';
import type { Conversation } from '../assistant/conversation.entity.ts';
import { appendAudit } from '../audit/audit-log.ts';
import { isActiveTenant } from '../auth/active-tenant.ts';
import type { Actor } from '../auth/actor.ts';
import { newPid } from '../database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../database/orm.ts';
import { conflict, notFound, validationError, type FieldErrors } from '../errors/application-error.ts';
import { PLATFORM_ADMIN } from '../metadata/permissions.ts';
import type { OutboundHttp } from '../outbound/outbound-http.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { EndpointEntity, SubscriptionEntity } from '../webhooks/subscription.entity.ts';
import { sealSecret } from '../webhooks/subscription-secrets.ts';
import { ChannelBindingEntity, type ChannelBinding } from './channel-binding.entity.ts';

/** The event type of an answer that is on its way back into its channel. */
export const IM_REPLY = 'im.reply';

export interface BindingRequest {
  /** Null: it stays as it is. */
  readonly secret: string | null;
  readonly roles: readonly string[];
  readonly replyUrl: string | null;
}

const MAX_RETRIES = 8;
const TIMEOUT_MS = 10_000;

/** Whose the channels of an environment are. docs/decisions/0027 */
export class ChannelBindings implements Identities {
  readonly #orm: PlatformOrm;
  readonly #box: SecretBox;
  readonly #outbound: Pick<OutboundHttp, 'problemOfTargetUrl'>;

  constructor(orm: PlatformOrm, box: SecretBox, outbound: Pick<OutboundHttp, 'problemOfTargetUrl'>) {
    this.#orm = orm;
    this.#box = box;
    this.#outbound = outbound;
  }

  async find(environment: string, channelCode: string): Promise<ChannelBinding | null> {
    return this.#orm.em.fork().findOne(ChannelBindingEntity, { environment, channelCode });
  }

  /** @throws SecretUnreadableError */
  secretOf({ pid, secret }: ChannelBinding): string {
    return this.#box.open(secret, contextOf(pid));
  }

  /** In a channel an assistant acts as the binding: its roles, as of now. */
  async of({ userPid: pid, tenantId }: Conversation): Promise<Identity | null> {
    const em = this.#orm.em.fork();
    const binding = await em.findOne(ChannelBindingEntity, { pid, tenantId });
    if (!binding || !(await isActiveTenant(em, tenantId))) return null;
    const { channelCode, roles } = binding;
    return { userId: '0', userPid: pid, username: `im:${channelCode}`, tenantId, roles };
  }

  async list({ metadata, tenantId }: Actor): Promise<ChannelBinding[]> {
    const where = { environment: metadata.environment, tenantId };
    return this.#orm.em.fork().find(ChannelBindingEntity, where, { orderBy: { channelCode: 'asc' } });
  }

  /**
   * What is wrong with a binding beyond the form of its fields. @param errors collects it, by field
   * @throws NOT_FOUND (no such channel)
   */
  async check(
    actor: Actor,
    channelCode: string,
    { roles = [], replyUrl = null }: Partial<BindingRequest>,
    errors: FieldErrors,
  ): Promise<void> {
    actor.metadata.imChannel(channelCode);
    const refused = roleOfOthers(actor, roles);
    if (refused !== undefined) errors.roles = `${refused.slice(0, 64)} is not yours to give`;
    const problem = replyUrl === null ? null : await this.#outbound.problemOfTargetUrl(replyUrl);
    if (problem !== null) errors.replyUrl = problem;
  }

  /**
   * Binds a channel of the request's environment to the request's tenant, or changes its binding.
   * @throws CONFLICT (BOUND) when it is another tenant's; VALIDATION_ERROR for a new one without a secret
   */
  async bind(actor: Actor, channelCode: string, request: BindingRequest): Promise<ChannelBinding> {
    return this.#orm.em.fork().transactional(async (em) => {
      const where = { environment: actor.metadata.environment, channelCode };
      const known = await em.findOne(ChannelBindingEntity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (known && known.tenantId !== actor.tenantId) throw conflict('BOUND', 'The channel is bound to another tenant');
      if (!known && request.secret === null) throw validationError({ secret: 'is required' });
      const before = known && presentBinding(known);
      const binding = known ?? this.#newBinding(em, actor, channelCode);
      if (request.secret !== null) binding.secret = this.#box.seal(request.secret, contextOf(binding.pid));
      Object.assign(binding, { roles: [...request.roles], replyUrl: request.replyUrl, updatedAt: new Date() });
      await em.flush();
      await this.#connect(em, actor, binding, request.secret ?? this.secretOf(binding));
      const target = { targetType: 'im_channel', targetPid: binding.pid, environment: binding.environment } as const;
      await appendAudit(em, { actor, action: 'im.bind', ...target, before, after: presentBinding(binding) });
      return binding;
    });
  }

  /** Sets a channel free; its conversations stay. @throws NOT_FOUND */
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
    const { tenantId, userPid: createdBy, username: createdByName, metadata } = actor;
    const whose = { environment: metadata.environment, channelCode, tenantId, createdBy, createdByName };
    return em.create(ChannelBindingEntity, { pid: newPid(), ...whose, roles: [], secret: '' });
  }

  /** The subscription through which answers go back: nothing is matched to it, deliveries are made for it one by one. */
  async #connect(em: PlatformEntityManager, actor: Actor, binding: ChannelBinding, secret: string): Promise<void> {
    const { replyUrl, environment, tenantId, channelCode } = binding;
    const known = binding.subscriptionPid
      ? await em.findOne(SubscriptionEntity, { pid: binding.subscriptionPid })
      : null;
    const now = new Date();
    if (!replyUrl) {
      if (known) Object.assign(known, { enabled: false, updatedAt: now });
      return em.flush();
    }
    if (known) {
      const secrets = [sealSecret(this.#box, known.pid, secret, now)];
      Object.assign(known, {
        targetUrl: replyUrl,
        secrets,
        enabled: true,
        disabledReason: null,
        updatedAt: now,
        deletedAt: null,
      });
      return em.flush();
    }
    const pid = newPid();
    em.create(SubscriptionEntity, {
      ...{ pid, environment, tenantId, name: `IM channel ${channelCode}`, targetUrl: replyUrl, eventType: IM_REPLY },
      ...{ maxRetries: MAX_RETRIES, timeoutMs: TIMEOUT_MS, ordering: 'none', enabled: true, roles: [...binding.roles] },
      ...{
        createdBy: actor.userPid,
        createdByName: actor.username,
        secrets: [sealSecret(this.#box, pid, secret, now)],
      },
    });
    await em.flush();
    em.create(EndpointEntity, { subscriptionPid: pid });
    binding.subscriptionPid = pid;
    await em.flush();
  }
}

/** A binding, without its secret. */
export function presentBinding(binding: ChannelBinding) {
  const { channelCode: channel, roles, replyUrl = null, subscriptionPid = null, createdAt, updatedAt } = binding;
  return { channel, roles: [...roles], replyUrl, subscriptionPid, hasSecret: true, createdAt, updatedAt };
}

/** Nobody gives a channel more than they have: everybody in it reads with these roles. */
function roleOfOthers(actor: Actor, roles: readonly string[]): string | undefined {
  const isAdmin = actor.roles.includes('ADMIN') || actor.roles.includes(PLATFORM_ADMIN);
  return roles.find((role) => role === PLATFORM_ADMIN || (!isAdmin && !actor.roles.includes(role)));
}

function contextOf(bindingPid: string): string {
  return `im:${bindingPid}:secret`;
}
