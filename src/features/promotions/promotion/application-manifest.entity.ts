import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A resource as the files of an application had it. */
export interface ManifestEntry {
  readonly resourceType: string;
  readonly code: string;
  /** SHA-256 of the content's canonical JSON. */
  readonly hash: string;
}

/** An application's files as last applied in an environment. */
export const ApplicationManifestEntity = defineEntity({
  name: 'ApplicationManifest',
  tableName: 'application_manifest',
  primaryKeys: ['environment', 'application'],
  properties: {
    environment: p.string().length(16).primary(),
    application: p.string().length(64).primary(),
    resources: p.json<readonly ManifestEntry[]>().columnType('json'),
    appliedAt: p.datetime(3),
    appliedBy: p.string().length(32),
    appliedByName: p.string().length(200),
  },
});

export type ApplicationManifest = InferEntity<typeof ApplicationManifestEntity>;
