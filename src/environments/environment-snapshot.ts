import { createHash } from 'node:crypto';
import type { FieldErrors } from '../errors/application-error.ts';
import { canonicalJson } from '../metadata/canonical-json.ts';
import { RESOURCE_TYPES, type ResourceContent, type ResourceType } from '../metadata/content.ts';
import { problemsOfContent } from '../metadata/content-validation.ts';

const FORMAT_VERSION = 1;

export interface SnapshotEntry {
  readonly resourceType: ResourceType;
  readonly pid: string;
  readonly code: string;
  readonly version: number;
  readonly content: ResourceContent;
}

/** All configuration of an environment as a file. Spec: `EnvironmentExportData`. */
export interface EnvironmentSnapshot {
  readonly formatVersion: number;
  /** The code of the environment it was taken from. */
  readonly environment: string;
  /** Ordered by type and code, with the keys of their contents in order: equal content gives equal bytes. */
  readonly resources: readonly SnapshotEntry[];
  /** SHA-256 over the canonical JSON of `resources`, as hex digits. */
  readonly checksum: string;
}

export function takeSnapshot(environment: string, resources: readonly SnapshotEntry[]): EnvironmentSnapshot {
  const entries = resources
    .map(({ resourceType, pid, code, version, content }) => ({ resourceType, pid, code, version, content }))
    .map((entry) => ({ ...entry, content: JSON.parse(canonicalJson(entry.content)) as ResourceContent }))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return { formatVersion: FORMAT_VERSION, environment, resources: entries, checksum: checksumOf(entries) };
}

function orderOf({ resourceType, code }: SnapshotEntry): string {
  return `${resourceType}/${code}`;
}

function checksumOf(resources: unknown): string {
  return createHash('sha256').update(canonicalJson(resources)).digest('hex');
}

const PID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** What is wrong with a snapshot that somebody sent: key -> problem; empty when it can be imported. */
export function problemsOfSnapshot(given: Readonly<Record<string, unknown>>): FieldErrors {
  const { formatVersion, environment, resources, checksum } = given;
  const problems: FieldErrors = {};
  if (formatVersion !== FORMAT_VERSION) problems.formatVersion = `must be ${FORMAT_VERSION}`;
  if (typeof environment !== 'string') problems.environment = 'is required';
  if (!Array.isArray(resources)) return { ...problems, resources: 'must be an array' };
  if (checksum !== checksumOf(resources)) problems.checksum = 'does not fit the resources';
  const seen = new Set<unknown>();
  for (const [index, entry] of resources.entries()) {
    const { resourceType, pid, code, version, content } = (entry ?? {}) as Partial<SnapshotEntry>;
    const at = `resources.${index}`;
    if (!RESOURCE_TYPES.includes(resourceType as ResourceType)) problems[`${at}.resourceType`] = 'is not known';
    else {
      const found = problemsOfContent(resourceType as ResourceType, String(code), content);
      for (const [path, problem] of Object.entries(found)) problems[`${at}.${path}`] = problem;
    }
    if (typeof pid !== 'string' || !PID.test(pid)) problems[`${at}.pid`] = 'must be a ULID';
    if (!Number.isInteger(version) || Number(version) < 1) problems[`${at}.version`] = 'must be a whole number from 1';
    for (const key of [`pid ${pid}`, `code ${resourceType}/${code}`]) {
      if (seen.has(key)) problems[at] = `repeats the ${key}`;
      seen.add(key);
    }
  }
  return problems;
}
