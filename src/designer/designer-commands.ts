import { appendAudit } from '../audit/audit-log.ts';
import type { PlatformCommand, PlatformCommands } from '../commands/platform-command.ts';
import { notFound, throwIfInvalid } from '../errors/application-error.ts';
import { storable } from '../http/formats.ts';
import { problemsOf } from '../http/schema-problems.ts';
import { ANYTHING, object, oneOf } from '../http/schema.ts';
import type { ResourceContent, ResourceType } from '../metadata/content.ts';
import { RESOURCE_TYPES } from '../metadata/content.ts';
import { problemsOfContent } from '../metadata/content-validation.ts';
import { ADMIN_METADATA } from '../metadata/permission-codes.ts';
import { ResourceEntity } from '../metadata/resource.entity.ts';
import { lockEnvironment, type ResourcesService } from '../metadata/resources.service.ts';
import type { SnapshotCache } from '../metadata/snapshot-cache.ts';
import { requireDesignable } from '../metadata/write-policy.ts';
import { presentResource } from './present-resource.ts';

const KEY = { resourceType: oneOf(RESOURCE_TYPES), code: storable() };
const TO_DELETE = object(KEY);
const TO_SAVE = object({ ...KEY, content: ANYTHING });

/** Which resource a payload that was found good is about. */
const keyIn = (payload: object) => payload as { readonly resourceType: ResourceType; readonly code: string };

/**
 * Designer writes are commands: `meta:save {resourceType, code, content}` and `meta:delete {resourceType, code}`. They
 * obey the environment's write policy and lock, and are audited in their own transaction.
 */
export function designerCommands(resources: ResourcesService, snapshots: SnapshotCache): PlatformCommands {
  const announce: PlatformCommand['announce'] = async ({ environment }) => {
    await snapshots.refresh(environment);
  };

  const save: PlatformCommand = {
    code: 'meta:save',
    permission: ADMIN_METADATA,
    check(payload) {
      throwIfInvalid(problemsOf(TO_SAVE, payload));
      const { resourceType, code } = keyIn(payload);
      throwIfInvalid(problemsOfContent(resourceType, code, payload.content));
    },
    async perform(em, { environment, payload, user_pid: userPid, username }) {
      const row = await lockEnvironment(em, environment);
      requireDesignable(row);
      const { resourceType, code } = keyIn(payload);
      const content = payload.content as ResourceContent;
      const before = await em.findOne(ResourceEntity, { environment, resourceType, code });
      const was = before && { version: before.version, content: before.content };
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
      return presentResource(after);
    },
    announce,
  };

  const remove: PlatformCommand = {
    code: 'meta:delete',
    permission: ADMIN_METADATA,
    check(payload) {
      throwIfInvalid(problemsOf(TO_DELETE, payload));
    },
    async perform(em, { environment, payload, user_pid: userPid, username }) {
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
  return new Map([save, remove].map((command) => [command.code, command]));
}
