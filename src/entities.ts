import { ConfirmationEntity, ConversationEntity, MessageEntity } from './assistant/conversation.entity.ts';
import { ChannelBindingEntity } from './im/channel-binding.entity.ts';
import {
  AutomationRunEntity,
  AutomationScheduleEntity,
  AutomationStepEntity,
} from './automations/automation-run.entity.ts';
import { AuditEntryEntity } from './audit/audit-entry.entity.ts';
import { MembershipEntity } from './auth/membership.entity.ts';
import { PasswordResetEntity } from './auth/password-reset.entity.ts';
import { ApiKeyEntity, ServiceAccountEntity } from './auth/service-account.entity.ts';
import { RefreshTokenEntity, SessionEntity } from './auth/session.entity.ts';
import { TenantEntity } from './auth/tenant.entity.ts';
import { UserEntity } from './auth/user.entity.ts';
import { ExecutionEntity } from './commands/execution.entity.ts';
import { EnvironmentSecretEntity } from './environments/environment-secret.entity.ts';
import { EventEntity } from './events/event.entity.ts';
import { EnvironmentEntity } from './metadata/environment.entity.ts';
import { ResourceEntity, ResourceVersionEntity } from './metadata/resource.entity.ts';
import { PromotionApprovalEntity, PromotionEntity, PromotionRequestEntity } from './promotions/promotion.entity.ts';
import { ChangeEntity } from './records/change.entity.ts';
import { AttemptEntity, DeliveryEntity, RecoveryEntity } from './webhooks/delivery.entity.ts';
import { EndpointEntity, SubscriptionEntity } from './webhooks/subscription.entity.ts';

/** Every table that is mapped: the platform's own. Model tables are not: they come and go with the configuration. */
export const ENTITIES = [
  TenantEntity,
  UserEntity,
  MembershipEntity,
  SessionEntity,
  RefreshTokenEntity,
  PasswordResetEntity,
  ServiceAccountEntity,
  ApiKeyEntity,
  EnvironmentEntity,
  EnvironmentSecretEntity,
  ResourceEntity,
  ResourceVersionEntity,
  ExecutionEntity,
  EventEntity,
  ChangeEntity,
  AuditEntryEntity,
  PromotionEntity,
  PromotionRequestEntity,
  PromotionApprovalEntity,
  SubscriptionEntity,
  EndpointEntity,
  DeliveryEntity,
  AttemptEntity,
  RecoveryEntity,
  AutomationRunEntity,
  AutomationStepEntity,
  AutomationScheduleEntity,
  ConversationEntity,
  MessageEntity,
  ConfirmationEntity,
  ChannelBindingEntity,
];
