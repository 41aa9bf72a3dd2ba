import { appendAudit } from '../../platform/audit/audit-log.ts';
import type { OwnerCommand, PlatformCommands } from '../commands/request/platform-command.ts';
import { notFound, throwIfInvalid, conflict } from '../../foundation/errors/application-error.ts';
import { storable } from '../../foundation/validation/formats.ts';
import { validate } from '../../foundation/validation/validate.ts';
import { ANYTHING, BOOLEAN, object } from '../../foundation/validation/schema.ts';
import { RESOURCE_TYPE } from '../../platform/metadata/resources/resource-type-names.ts';
import type { ResourceTypes } from '../../platform/metadata/resources/resource-types.ts';
import { ADMIN_METADATA } from '../../platform/metadata/permissions/permission-codes.ts';
import { ResourceEntity, type Resource } from '../../platform/metadata/resources/resource.entity.ts';
import {
  lockEnvironment,
  presentResourceOf,
  type ResourcesService,
} from '../../platform/metadata/changes/resources.service.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { requireDesignable } from '../../platform/metadata/environments/write-policy.ts';
import type { PlatformEntityManager } from '../../foundation/database/orm.ts';
import { TableBuildEntity } from '../../platform/metadata/models/tables/table-build.entity.ts';
import type { ModelContent } from '../../platform/metadata/models/model-content.ts';
import { MODEL } from '../../platform/metadata/models/model-type.ts';
import { rewriteToConsentTo } from '../../platform/metadata/models/tables/table-rewrite.ts';
import { TableCatalog } from '../../platform/metadata/models/tables/table-catalog.ts';
import { isOfType } from '../../platform/metadata/resources/resource-type.ts';
import type { Message } from '../../foundation/i18n/text.ts';

type Presented = Pick<Resource, 'resourceType' | 'pid' | 'code' | 'version' | 'updatedBy' | 'updatedAt'> & {
  readonly content?: Resource['content'] | null;
};

/** A resource or a version of one, as the API shows it. */
export function presentResource({ resourceType, pid, code, version, content, updatedBy, updatedAt }: Presented) {
  return { resourceType, pid, code, version, content, updatedBy, updatedAt };
}

/** @throws CONFLICT (CONSENT_REQUIRED) if a large table would be rewritten */
async function requireNoRewrite(
  em: PlatformEntityManager,
  environment: string,
  { resourceType, code }: { readonly resourceType: string; readonly code: string },
  content: object,
  before: object | undefined,
): Promise<void> {
  if (resourceType !== MODEL.name) return;
  const catalog = await TableCatalog.read(em, environment, [code]);
  const model = content as ModelContent;
  const existing = catalog.tableFor(environment, code, model, before as ModelContent | undefined);
  const rewrite = await rewriteToConsentTo(em, environment, code, model, existing);
  if (!rewrite) return;
  const { message, details } = rewrite;
  const resources = [{ resourceType, code, message, details }];
  throw conflict('CONSENT_REQUIRED', 'A large table would be out of use: save it with consent', { resources });
}

/** Rules of a saved model that hold only when their index has been built: path in the content -> why. */
async function laterRules(em: PlatformEntityManager, resource: Resource): Promise<[string, Message][]> {
  if (!isOfType(resource, MODEL)) return [];
  const { environment, code: modelCode, content } = resource;
  const open = {
    environment,
    modelCode,
    kind: 'UNIQUE_INDEX' as const,
    status: ['QUEUED' as const, 'BUILDING' as const],
  };
  const builds = await em.find(TableBuildEntity, open);
  const { fields } = content;
  return builds.map(({ fieldCode }) => [
    `content.fields.${fields.findIndex(({ code }) => code === fieldCode)}.unique`,
    'holds once its index has been built: the table is large',
  ]);
}

const KEY = { resourceType: RESOURCE_TYPE, code: storable() };
const TO_DELETE = object(KEY);
const TO_SAVE = object({ ...KEY, content: ANYTHING }, { consent: BOOLEAN });

/** Which resource a payload that was found good is about. */
const keyIn = (payload: object) => payload as { readonly resourceType: string; readonly code: string };

/**
 * Designer writes are commands: `meta:save {resourceType, code, content}` and `meta:delete {resourceType,
 * code}`. They obey the environment's write policy and lock, and are audited in their own transaction.
 */
export function designerCommands(
  resources: ResourcesService,
  snapshots: SnapshotCache,
  types: ResourceTypes,
): PlatformCommands {
  const announce: OwnerCommand['announce'] = async ({ environment }) => {
    await snapshots.refresh(environment);
  };
  const commands = [saveCommand(resources, types, announce), deleteCommand(resources, announce)];
  return new Map(commands.map((command) => [command.code, command]));
}

function saveCommand(
  resources: ResourcesService,
  types: ResourceTypes,
  announce: OwnerCommand['announce'],
): OwnerCommand {
  return {
    code: 'meta:save',
    permission: ADMIN_METADATA,
    check(payload) {
      throwIfInvalid(validate(TO_SAVE, payload));
      const { resourceType, code } = keyIn(payload);
      throwIfInvalid(types.problemsOfContent(resourceType, code, payload.content));
    },
    async perform(em, { environment, payload, userPid, username }) {
      const row = await lockEnvironment(em, environment);
      requireDesignable(row);
      const { resourceType, code } = keyIn(payload);
      const content = payload.content as object;
      const before = await presentResourceOf(em, environment, { resourceType, code, content });
      const was = before && { version: before.version, content: before.content };
      if (payload.consent !== true) await requireNoRewrite(em, environment, keyIn(payload), content, was?.content);
      const changed = await resources.saveIn(em, row, [{ resourceType, code, content }], userPid);
      const after = await em.findOneOrFail(ResourceEntity, { environment, resourceType, code });
      if (changed > 0) {
        await appendAudit(em, {
          actor: { userPid, username },
          action: 'metadata.save',
          targetType: 'resource',
          targetPid: after.pid,
          environment,
          before: was,
          after: { version: after.version, content: after.content },
        });
      }
      const warnings = [...Object.entries(await resources.warningsIn(em, after)), ...(await laterRules(em, after))];
      // The result is stored, for readers of any language: in English.
      const presented = warnings.map(([path, message]) => ({ path, message: String(message) }));
      return { ...presentResource(after), warnings: presented };
    },
    announce,
  };
}

function deleteCommand(resources: ResourcesService, announce: OwnerCommand['announce']): OwnerCommand {
  return {
    code: 'meta:delete',
    permission: ADMIN_METADATA,
    check(payload) {
      throwIfInvalid(validate(TO_DELETE, payload));
    },
    async perform(em, { environment, payload, userPid, username }) {
      const row = await lockEnvironment(em, environment);
      requireDesignable(row);
      const { resourceType, code } = keyIn(payload);
      const known = await em.findOne(ResourceEntity, { environment, resourceType, code });
      if (!known) throw notFound('There is no such resource');
      const { pid, version, content } = known;
      await resources.deleteIn(em, row, known, userPid);
      await appendAudit(em, {
        actor: { userPid, username },
        action: 'metadata.delete',
        targetType: 'resource',
        targetPid: pid,
        environment,
        before: { version, content },
      });
      return { pid };
    },
    announce,
  };
}
