import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '../../foundation/database/columns.ts';
import { STORE_NAMES } from './stores/file-store.ts';

/** A file of a tenant, in one environment. Its bytes are where `store` says. */
export const FileEntity = defineEntity({
  name: 'File',
  tableName: 'file',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    pid: p.string().length(32).unique(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    /** The pid of the user. */
    uploadedBy: p.string().length(32),
    name: p.string().length(200),
    /** The next three are null until all bytes are there. */
    contentType: p.string().length(255).nullable(),
    size: p.bigint('string').nullable(),
    sha256: p.string().length(64).nullable(),
    store: p.enum([...STORE_NAMES]),
    status: p.enum(['UPLOADING', 'READY', 'REMOVED']),
    /** Whether a field of a record names it. */
    attached: p.boolean().default(false),
    /**
     * When what is not attached may be removed: the lease of an upload, the end of a file that nothing names.
     */
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** The bytes of a file that is kept in Postgres, in pieces of `CHUNK_BYTES`. */
export const FileChunkEntity = defineEntity({
  name: 'FileChunk',
  tableName: 'file_chunk',
  properties: {
    filePid: p.string().length(32).primary(),
    number: p.integer().primary(),
    tenantId: p.bigint('string'),
    bytes: p.blob(),
  },
});

/** A field of a record that names a file. */
export const FileReferenceEntity = defineEntity({
  name: 'FileReference',
  tableName: 'file_reference',
  properties: {
    environment: p.string().length(16).primary(),
    modelCode: p.string().length(48).primary(),
    recordPid: p.string().length(32).primary(),
    fieldCode: p.string().length(48).primary(),
    tenantId: p.bigint('string'),
    filePid: p.string().length(32),
  },
});

/** Bytes of all files of a tenant. */
export const FileUsageEntity = defineEntity({
  name: 'FileUsage',
  tableName: 'file_usage',
  properties: {
    tenantId: p.bigint('string').primary(),
    bytes: p.bigint('string'),
  },
});

/** As it is read: by pid. */
export type FileRow = Omit<RowOf<typeof FileEntity>, 'id'>;
