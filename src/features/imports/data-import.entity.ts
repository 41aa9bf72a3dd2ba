import { defineEntity, p } from '@mikro-orm/core';
import type { RowOf } from '../../foundation/database/columns.ts';
import type { StoredError } from '../../foundation/errors/failure.ts';
import type { StoredMessage } from '../../foundation/i18n/text.ts';
import type { ImportFormatName } from './formats/import-format.ts';
import type { ImportCommands, ImportMode } from './import-plan.ts';

export const IMPORT_STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** An import of a file into the records of a page. What it has done is counted with what it writes. */
export const DataImportEntity = defineEntity({
  name: 'DataImport',
  tableName: 'data_import',
  properties: {
    pid: p.string().length(32).primary(),
    environment: p.string().length(16),
    tenantId: p.bigint('string'),
    userId: p.bigint('string'),
    userPid: p.string().length(32),
    username: p.string().length(200),
    /** For a program with an API key: the pids of the users who made the key and who answer for it. */
    keyMadeBy: p.string().length(32).nullable(),
    keyOwnedBy: p.string().length(32).nullable(),
    /** The scopes of that key, as roles. People have those that they have at each moment. */
    keyRoles: p.array().columnType('text[]').nullable(),
    pageKey: p.string().length(64),
    filePid: p.string().length(32),
    format: p.string().length(8).$type<ImportFormatName>(),
    /** What separates the cells of a CSV file; null where the file is to show it. */
    delimiter: p.string().length(2).nullable(),
    /** Column -> field. */
    mapping: p.json<Readonly<Record<string, string>>>().columnType('json'),
    mode: p.string().length(8).$type<ImportMode>(),
    matchOn: p.string().length(48).nullable(),
    commands: p.json<ImportCommands>().columnType('json'),
    dryRun: p.boolean(),
    /** BCP 47, of the error report. */
    locale: p.string().length(35),
    traceId: p.string().length(32),
    status: p.enum([...IMPORT_STATUSES]).$type<ImportStatus>(),
    error: p.json<StoredError>().columnType('json').nullable(),
    /** Rows of the file; null until they are counted. */
    total: p.integer().nullable(),
    /** The number of the last row that has been dealt with. */
    position: p.integer().default(0),
    done: p.integer().default(0),
    created: p.integer().default(0),
    updated: p.integer().default(0),
    failed: p.integer().default(0),
    errorFilePid: p.string().length(32).nullable(),
    /** The rows that failed, to be corrected and imported; null for formats that are no tables. */
    failedRowsFilePid: p.string().length(32).nullable(),
    /**
     * Starts since its last progress, the one that made it included: more than one says that a worker has
     * died.
     */
    starts: p.integer().default(0),
    createdAt: p.datetime(3).defaultRaw('now()'),
    startedAt: p.datetime(3).nullable(),
    progressAt: p.datetime(3).defaultRaw('now()'),
    finishedAt: p.datetime(3).nullable(),
  },
});

/** The problems of a row of an import, for its error report. */
export const ImportProblemEntity = defineEntity({
  name: 'ImportProblem',
  tableName: 'data_import_problem',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    importPid: p.string().length(32),
    rowNumber: p.integer(),
    /** The column of the file; null for the row itself. */
    column: p.string().length(200).nullable(),
    code: p.string().length(32),
    message: p.json<StoredMessage>().columnType('json'),
    /** The row as the file has it, with its first problem; null where too many came before. */
    given: p.json<Readonly<Record<string, string>>>().columnType('json').nullable(),
  },
});

export type ImportRecord = RowOf<typeof DataImportEntity>;
export type ImportProblem = RowOf<typeof ImportProblemEntity>;
