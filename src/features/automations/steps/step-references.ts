import type { Reference } from '../../../platform/metadata/resources/resource-type.ts';
import { BUILT_IN_ROLES } from '../../../platform/metadata/permissions/permissions.ts';

/** References of an automation, with paths in the content they stand in; none where the key is absent. */
export function toModel(path: string, code: string | undefined, field?: string): Reference[] {
  if (code === undefined) return [];
  return [{ path, resourceType: 'MODEL', code, ...(field !== undefined && { field }) }];
}

export function toCommand(path: string, code: string): Reference[] {
  return [{ path, resourceType: 'COMMAND', code }];
}

export function toAssistant(path: string, code: string): Reference[] {
  return [{ path, resourceType: 'ASSISTANT', code }];
}

export function toRole(path: string, code: string | undefined): Reference[] {
  return code === undefined || BUILT_IN_ROLES.has(code) ? [] : [{ path, resourceType: 'PERMISSION', code }];
}
