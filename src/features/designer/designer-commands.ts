import { appendAudit } from '../../platform/audit/audit-log.ts';
import type { OwnerCommand, PlatformCommands } from '../commands/platform-command.ts';
import { notFound, throwIfInvalid } from '../../foundation/errors/application-error.ts';
import { storable } from '../../foundation/validation/formats.ts';
import { validate } from '../../foundation/validation/validate.ts';
import { ANYTHING, BOOLEAN, object } from '../../foundation/validation/schema.ts';
import { RESOURCE_TYPE } from '../../platform/metadata/resources/resource-type-names.ts';
import type { ResourceTypes } from '../../platform/metadata/resources/resource-types.ts';
import { ADMIN_METADATA } from '../../platform/metadata/permissions/permission-codes.ts';
import { ResourceEntity } from '../../platform/metadata/resources/resource.entity.ts';
import {
  lockEnvironment,
  presentResourceOf,
  type ResourcesService,
} from '../../platform/metadata/changes/resources.service.ts';
import type { SnapshotCache } from '../../platform/metadata/snapshot/snapshot-cache.ts';
import { requireDesignable } from '../../platform/metadata/environments/write-policy.ts';
import { laterRules, requireNoRewrite } from './large-tables.ts';
import { presentResource } from './present-resource.ts';

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
