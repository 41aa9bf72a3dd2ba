import { Type } from 'typebox';
import { createHash } from 'node:crypto';
import { inTurn } from '../../foundation/jobs/turns.ts';
import type { FieldErrors } from '../../foundation/errors/application-error.ts';
import { canonicalJson } from '../../foundation/validation/canonical-json.ts';
import {
  list,
  named,
  object,
  openObject,
  withMessage,
  text,
  MAP,
  VERSION,
} from '../../foundation/validation/schema.ts';
import { RESOURCE_TYPE } from '../../platform/metadata/resources/resource-type-names.ts';
import type { ResourceTypes } from '../../platform/metadata/resources/resource-types.ts';
import { text as message } from '../../foundation/i18n/text.ts';

const FORMAT_VERSION = 1;

export interface ExportEntry {
  readonly resourceType: string;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly content: object;
}

/** All configuration of an environment as a file. Spec: `EnvironmentExportData`. */
export interface EnvironmentExport {
  readonly formatVersion: number;
  /** The code of the environment it was taken from. */
  readonly environment: string;
  /** Ordered by type and code, with the keys of their contents in order: equal content gives equal bytes. */
  readonly resources: readonly ExportEntry[];
  /** SHA-256 over the canonical JSON of `resources`, as hex digits. */
  readonly checksum: string;
}

export function toEnvironmentExport(environment: string, resources: readonly ExportEntry[]): EnvironmentExport {
  const entries = resources
    .map(({ resourceType, pid, code, version, content }) => ({ resourceType, pid, code, version, content }))
    .map((entry) => ({ ...entry, content: JSON.parse(canonicalJson(entry.content)) as object }))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return { formatVersion: FORMAT_VERSION, environment, resources: entries, checksum: checksumOf(entries) };
}

function orderOf({ resourceType, code }: ExportEntry): string {
  return `${resourceType}/${code}`;
}

function checksumOf(resources: readonly ExportEntry[]): string {
  return createHash('sha256').update(canonicalJson(resources)).digest('hex');
}

/** The same, in turns with other work. */
async function checksumInTurns(resources: readonly object[]): Promise<string> {
  const hash = createHash('sha256').update('[');
  for (const [index, resource] of resources.entries()) {
    await inTurn(() => hash.update(`${index === 0 ? '' : ','}${canonicalJson(resource)}`));
  }
  return hash.update(']').digest('hex');
}

const ENTRY = {
  resourceType: RESOURCE_TYPE,
  pid: withMessage('must be a ULID', text({ pattern: '^[0-9A-HJKMNP-TV-Z]{26}$' })),
  code: text(),
  version: VERSION,
  content: MAP,
};
const ABOUT = {
  formatVersion: withMessage('must be 1', Type.Unsafe<number>({ type: 'integer', const: FORMAT_VERSION })),
  environment: text(),
  checksum: text({ description: 'SHA-256 over the canonical JSON of `resources`, as hex digits' }),
};
export const ENVIRONMENT_EXPORT = object({ ...ABOUT, resources: list(named('SnapshotEntry', object(ENTRY))) });
/** The keys of an export that was sent; others are ignored. */
export const GIVEN_EXPORT = { ...ABOUT, resources: list(openObject(ENTRY)) };

/**
 * Problems of an export that was sent, beyond its form: key -> problem; empty when it can be
 * imported.
 */
export async function problemsOfExport(
  { resources, checksum }: Partial<EnvironmentExport>,
  types: ResourceTypes,
): Promise<FieldErrors> {
  const problems: FieldErrors = {};
  if (!resources) return problems;
  if (checksum !== undefined && checksum !== (await checksumInTurns(resources))) {
    problems.checksum = 'does not fit the resources';
  }
  const seen = new Set<string>();
  for (const [index, { resourceType, pid, code, content }] of resources.entries()) {
    const at = `resources.${index}`;
    const found = await inTurn(() => types.problemsOfContent(resourceType, code, content));
    for (const [path, problem] of Object.entries(found)) problems[`${at}.${path}`] = problem;
    for (const key of [`pid ${pid}`, `code ${resourceType}/${code}`]) {
      if (seen.has(key)) problems[at] = message('repeats the {key}', { key });
      seen.add(key);
    }
  }
  return problems;
}
