import { EMPTIED_HISTORY } from './events/changes/change-log.ts';
import { FOUNDATION_TEXTS, type Foundation } from '../foundation/foundation.ts';
import { englishTexts, type TextTable } from '../foundation/i18n/text-table.ts';
import { Languages } from '../foundation/i18n/languages.ts';
import { StreamTail } from '../foundation/redis/stream-tail.ts';
import type { RedisStore } from '../foundation/redis/redis-store.ts';
import { AuditEntryEntity } from './audit/audit-entry.entity.ts';
import { AUTH_TEXTS } from './auth/auth.texts.ts';
import { EVENTS_TEXTS } from './events/events.texts.ts';
import { METADATA_TEXTS } from './metadata/metadata.texts.ts';
import { STREAMS_TEXTS } from './streams/streams.texts.ts';
import { problemOfAssignedRole } from './auth/accounts/member.ts';
import { auth } from './auth/auth.feature.ts';
import type { EventAudience } from './events/audience/event-audience.ts';
import type { EventConsequences, EventEraser } from './events/event-consequences.ts';
import { ChangeEntity } from './events/changes/change.entity.ts';
import { EventEntity } from './events/outbox/event.entity.ts';
import { EMPTIED_EVENTS, OutboxSignal } from './events/outbox/outbox.ts';
import { HealthChecks } from './health/health-checks.ts';
import { createMailer } from './mail/create-mailer.ts';
import { TableBuildEntity } from './metadata/models/tables/table-build.entity.ts';
import { publisherOfModels } from './metadata/models/tables/publish-models.ts';
import { ResourceChecks } from './metadata/changes/resource-checks.ts';
import { ResourcesService } from './metadata/changes/resources.service.ts';
import { EnvironmentEntity } from './metadata/environments/environment.entity.ts';
import { PERMISSION } from './metadata/permissions/permission-type.ts';
import { ResourceEntity, ResourceVersionEntity } from './metadata/resources/resource.entity.ts';
import type { ResourceType } from './metadata/resources/resource-type.ts';
import { FieldRenameEntity } from './metadata/models/field-rename.entity.ts';
import { ResourceTypes } from './metadata/resources/resource-types.ts';
import { SnapshotCache } from './metadata/snapshot/snapshot-cache.ts';
import { I18N, translationsOf } from './metadata/translations/translations.ts';
import { MODEL_WITH_ROW_RULES } from './records/conditions/row-rules.ts';
import { PAGE_SCHEMA } from './records/pages/page-type.ts';
import { RECORDS_TEXTS } from './records/records.texts.ts';
import { StreamWriter } from './streams/stream-writer.ts';
import { Streams } from './streams/streams.ts';

/** What all features stand on: metadata, authentication, events, records, streams, mail. */
export type Platform = ReturnType<typeof createPlatform>;

/** Both are absent for those that check files offline. */
interface PublishingParts {
  readonly followers?: Parameters<typeof publisherOfModels>[0];
  readonly store?: RedisStore;
}

export const PLATFORM = {
  entities: [
    ...auth.entities,
    EnvironmentEntity,
    ResourceEntity,
    ResourceVersionEntity,
    TableBuildEntity,
    FieldRenameEntity,
    EventEntity,
    ChangeEntity,
    AuditEntryEntity,
  ],
  droppedFields: auth.droppedFields,
  emptied: [EMPTIED_EVENTS, EMPTIED_HISTORY],
  texts: [...FOUNDATION_TEXTS, AUTH_TEXTS, METADATA_TEXTS, EVENTS_TEXTS, STREAMS_TEXTS, RECORDS_TEXTS],
  resourceTypes: ({ followers = [], store }: PublishingParts) => [
    { ...PERMISSION, problemOfRemoval: problemOfAssignedRole },
    I18N,
    {
      ...MODEL_WITH_ROW_RULES,
      publish: publisherOfModels([...(store ? [auth.followRenames(store)] : []), ...followers]),
    },
    PAGE_SCHEMA,
  ],
};

export function createPlatform(foundation: Foundation, types: readonly ResourceType[], texts: readonly TextTable[]) {
  const { config, logger, orm, store } = foundation;
  const resourceTypes = new ResourceTypes(types);
  const snapshots = new SnapshotCache(orm, store, resourceTypes, auth.timeZonesOfTenants);
  const resourceChecks = new ResourceChecks(resourceTypes, englishTexts(texts));
  const languages = new Languages(
    texts,
    (code = config.environment) => snapshots.peek(code)?.derive(translationsOf) ?? new Map<string, never>(),
  );
  const mailer = createMailer(config, store, logger);
  const authFeature = auth.create(foundation, snapshots, mailer, languages);
  const { authenticator } = authFeature;
  const tail = new StreamTail(config.redisUrl, store, logger);
  const streams = new Streams(authenticator, store, tail, config.streams, logger);
  return {
    resourceTypes,
    snapshots,
    resourceChecks,
    resources: new ResourcesService(orm, snapshots, resourceChecks),
    languages,
    mailer,
    auth: authFeature,
    authenticator,
    limits: authFeature.limits,
    streams,
    streamWriter: new StreamWriter(store, config.streams),
    outboxSignal: new OutboxSignal(),
    /** Features add theirs as they are created. */
    eventErasers: [] as EventEraser[],
    eventAudiences: [] as EventAudience[],
    eventConsequences: {} as EventConsequences,
    health: new HealthChecks(),
    close() {
      streams.stop();
      tail.close();
    },
  };
}
