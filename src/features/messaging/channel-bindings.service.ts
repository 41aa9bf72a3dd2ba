import { LockMode } from '@mikro-orm/core';
import { ownerOf, type Actor, type Identity } from '../../platform/auth/requests/actor.ts';
import { suspensionsOf, orphanedFinder, type FindOrphaned } from '../../platform/auth/orphaned.ts';
import type { Suspension } from '../../platform/auth/accounts/vouching.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import type { IdentityResolver } from '../assistant/conversations/identity-resolver.ts';
import type { Conversation } from '../assistant/conversations/conversation.entity.ts';
import { appendAudit } from '../../platform/audit/audit-log.ts';
import { isActiveTenant, TenantEntity } from '../../platform/auth/accounts/tenant.entity.ts';
import { newPid } from '../../foundation/database/pid.ts';
import type { PlatformEntityManager, PlatformOrm } from '../../foundation/database/orm.ts';
import {
  conflict,
  notFound,
  validationError,
  type FieldErrors,
  ApplicationError,
} from '../../foundation/errors/application-error.ts';
import { PLATFORM_ADMIN } from '../../platform/metadata/permissions/permissions.ts';
import type { OutboundHttp } from '../../foundation/outbound/outbound-http.ts';
import type { SecretBox } from '../../foundation/secrets/secret-box.ts';
import { type ChannelDestinations, adoptDestination } from '../webhooks/channel-destinations.ts';
import { ChannelBindingEntity, contextOf, nameOf, type ChannelBinding } from './channel-binding.entity.ts';
import { IM_CHANNEL } from './channel-type.ts';
import { text, type Message } from '../../foundation/i18n/text.ts';
import { IM_MANAGE } from '../../platform/metadata/permissions/permission-codes.ts';

interface BindingRequest {
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
  readonly #destinations: ChannelDestinations;

  constructor(
    orm: PlatformOrm,
    snapshots: SnapshotCache,
    box: SecretBox,
    outbound: Pick<OutboundHttp, 'problemOfTargetUrl'>,
    destinations: ChannelDestinations,
  ) {
    this.#orm = orm;
    this.#snapshots = snapshots;
    this.#box = box;
    this.#outbound = outbound;
    this.#destinations = destinations;
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
   * Checks the roles and the URL of a binding, and that a new one has a secret.
   * @param errors collects the problems by field
   * @throws NOT_FOUND for an unknown channel
   */
  async check(
    actor: Actor,
    channelCode: string,
    { roles = [], replyUrl = null, secret = null }: Partial<BindingRequest>,
    errors: FieldErrors,
  ): Promise<void> {
    actor.metadata.get(IM_CHANNEL, channelCode);
    const refused = roles.find((role) => !mayGive(actor, role));
    if (refused !== undefined) errors.roles = text('{role} is not yours to give', { role: refused.slice(0, 64) });
    const problem = replyUrl === null ? null : await this.#outbound.problemOfTargetUrl(replyUrl);
    if (problem !== null) errors.replyUrl = problem;
    const isKnown = secret !== null || (await this.find(actor.metadata.environment, channelCode)) !== null;
    if (!isKnown) errors.secret ??= 'is required';
  }

  /**
   * Binds a channel of the request's environment to the request's tenant, or changes its binding.
   * @throws CONFLICT (BOUND) if another tenant has it, SecretUnreadableError; VALIDATION_ERROR for one that
   *   was unbound meanwhile, without a secret
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
      if (subscriptionPid) await this.#destinations.delete(em, subscriptionPid);
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

  /** Has webhooks deliver the replies of a channel that has a URL for them. */
  async #subscribe(
    em: PlatformEntityManager,
    actor: Actor,
    binding: ChannelBinding,
    secret: string | null,
  ): Promise<void> {
    const { replyUrl, environment, tenantId, channelCode, subscriptionPid = null } = binding;
    if (!replyUrl) {
      if (subscriptionPid !== null) await this.#destinations.disable(em, subscriptionPid);
      return;
    }
    binding.subscriptionPid = await this.#destinations.save(em, subscriptionPid, {
      environment,
      tenantId,
      name: `IM channel ${channelCode}`,
      url: replyUrl,
      secret: secret ?? this.secretOf(binding),
      roles: [...binding.roles],
      createdBy: actor.userPid,
      createdByName: actor.username,
      ownedBy: ownerOf(actor),
    });
    await em.flush();
  }
}

type PresentedBinding = ReturnType<typeof presentBinding>;

/** A binding, without its secret. */
export function presentBinding(binding: ChannelBinding, suspended: Suspension | null = null) {
  const { channelCode: channel, roles, replyUrl = null, subscriptionPid = null } = binding;
  const { ownedBy, createdAt, updatedAt } = binding;
  const secret = { hasSecret: true };
  return { channel, roles: [...roles], replyUrl, subscriptionPid, ...secret, ownedBy, suspended, createdAt, updatedAt };
}

/** Everyone in the channel reads with its roles, so a user gives only roles of their own. */
function mayGive({ roles }: Actor, role: string): boolean {
  if (role === PLATFORM_ADMIN) return false;
  return roles.includes('ADMIN') || roles.includes(PLATFORM_ADMIN) || roles.includes(role);
}

/** A channel that a tenant has bound stays. */
export async function problemOfBoundChannel(
  em: PlatformEntityManager,
  code: string,
  environment: string,
): Promise<Message | null> {
  const binding = await em.findOne(ChannelBindingEntity, { environment, channelCode: code });
  if (!binding) return null;
  const { name: tenant } = await em.findOneOrFail(TenantEntity, binding.tenantId);
  return text('The tenant {tenant} has bound the channel {code}', { tenant, code });
}

/** Finds the suspended channels that a person leaves behind. */
export function orphanedChannels(snapshots: SnapshotCache): FindOrphaned {
  return orphanedFinder<ChannelBinding>(snapshots, {
    kind: 'im-channel',
    managedWith: IM_MANAGE,
    find(em, ownedBy, tenantId) {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      return em.find(ChannelBindingEntity, { ownedBy, tenantId }, { lockMode, orderBy: { id: 'asc' } });
    },
    nameOf: ({ channelCode }) => channelCode,
    adopt,
  });
}

/** @throws FORBIDDEN for a channel with a role that the actor may not give */
async function adopt(em: PlatformEntityManager, actor: Actor, binding: ChannelBinding): Promise<void> {
  if (!binding.roles.every((role) => mayGive(actor, role))) throw new ApplicationError('FORBIDDEN');
  const { pid: targetPid, environment, subscriptionPid, ownedBy: owner } = binding;
  const ownedBy = ownerOf(actor);
  em.assign(binding, { ownedBy, updatedAt: new Date() });
  if (subscriptionPid) await adoptDestination(em, subscriptionPid, ownedBy);
  const target = { targetType: 'im_channel', targetPid, environment } as const;
  await appendAudit(em, { actor, action: 'im.adopt', ...target, before: { owner }, after: { owner: ownedBy } });
}
