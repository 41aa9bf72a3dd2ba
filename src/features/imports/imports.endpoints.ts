import { languageOf } from '../../foundation/http/language.ts';
import { PAGING_QUERY } from '../../foundation/http/paging.ts';
import { reply } from '../../foundation/http/reply.ts';
import { Text } from '../../foundation/i18n/text.ts';
import { ERROR_CATALOGUE } from '../../foundation/errors/catalogue.ts';
import {
  BIG_ID,
  BOOLEAN,
  described,
  integer,
  list,
  MAP,
  mapOf,
  named,
  nullable,
  object,
  oneOf,
  PID,
  text,
  TIME,
  parameters,
  withDefault,
} from '../../foundation/validation/schema.ts';
import type { Actor } from '../../platform/auth/requests/actor.ts';
import { endpoint, SIGNED_IN, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { streamEndpoint } from '../../platform/streams/stream-endpoint.ts';
import { streamKey } from '../../platform/streams/stream-entry.ts';
import type { Streams } from '../../platform/streams/streams.ts';
import { authorizeModel } from '../../platform/records/pages/page-model.ts';
import { IMPORT_STATUSES, type ImportRecord } from './data-import.entity.ts';
import { IMPORT_FORMAT_NAMES } from './formats/import-format.ts';
import { IMPORT_BODY } from './import-body.ts';
import { IMPORT_MODES } from './import-plan.ts';
import { importState, type ImportStreams } from './import-streams.ts';
import { IMPORT_SCOPES, type ImportsService } from './imports.service.ts';

const tag = 'Imports';
const IMPORTS = '/api/imports';

const IMPORT = named(
  'Import',
  object({
    pid: PID,
    userPid: described('Who has begun it', PID),
    username: text(),
    pageKey: text(),
    filePid: PID,
    format: oneOf(IMPORT_FORMAT_NAMES),
    delimiter: described('Of a CSV file; null where the file is to show it', nullable(text())),
    mapping: mapOf(text()),
    mode: oneOf(IMPORT_MODES),
    matchOn: nullable(text()),
    commands: described('The commands that it executes, by operation', mapOf(text())),
    dryRun: BOOLEAN,
    status: oneOf(IMPORT_STATUSES),
    total: described('Rows of the file; null until they are counted', nullable(integer(0))),
    done: described('Rows that have been dealt with: created, updated or failed', integer(0)),
    created: integer(0),
    updated: integer(0),
    failed: integer(0),
    errorFilePid: described('A CSV file: what is wrong with which row; `GET /api/files/{pid}`', nullable(PID)),
    failedRowsFilePid: described(
      'The rows that failed as CSV, as the file has them: corrected, they can be imported. Null for `ndjson`',
      nullable(PID),
    ),
    error: described(
      'Why a FAILED import did not go on',
      nullable(object({ code: oneOf(Object.keys(ERROR_CATALOGUE)), message: text(), data: nullable(MAP) })),
    ),
    createdAt: TIME,
    startedAt: nullable(TIME),
    finishedAt: nullable(TIME),
  }),
);

const PROBLEM = object({
  row: described('Of the file, from 1: that with the names of columns counts', integer(1)),
  column: described('Of the file; null: the row itself', nullable(text())),
  code: text(),
  message: text(),
  given: described(
    'The row as texts by column, with its first problem; null after the first 500',
    nullable(mapOf(text())),
  ),
});

/** Imports: rows of files become records, by the commands of their model. */
export function importEndpoints(
  imports: ImportsService,
  streams: Streams,
  importStreams: ImportStreams,
): readonly Endpoint[] {
  return [
    columnsEndpoint(imports),
    createEndpoint(imports),
    ...stateEndpoints(imports, streams, importStreams),
    cancelEndpoint(imports),
  ];
}

function createEndpoint(imports: ImportsService): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/api/dynamic/:pageKey/imports',
    access: [permissionCode.recordRead('{modelCode}')],
    authorize: authorizeModel,
    tag,
    summary: 'Import an uploaded file: each row executes a command of the model',
    description: 'Needs the permission of each command that is executed, too, now and as long as the import goes on.',
    body: IMPORT_BODY,
    budget: 'commands',
    data: object({ importPid: PID }),
    accepted: object({ importPid: PID }),
    alwaysAccepted: true,
    errors: ['CONFLICT', 'PRECONDITION_REQUIRED'],
    check: ({ actor, granted: model, params, body }, errors) =>
      imports.check(actor, model, params.pageKey, body, errors),
    async handle({ actor, params: { pageKey }, body, checked, request }) {
      const { pid } = await imports.create(actor, { pageKey, language: languageOf(request), body }, checked);
      const headers = { Location: `${IMPORTS}/${pid}` };
      return reply({ importPid: pid }, { status: 202, message: 'accepted', headers });
    },
  });
}

/** What a mapping is made over. */
function columnsEndpoint(imports: ImportsService): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/dynamic/:pageKey/imports/columns',
    access: [permissionCode.recordRead('{modelCode}')],
    authorize: authorizeModel,
    tag,
    summary: 'The columns of an uploaded file, as an import would name them',
    query: parameters(
      { delimiter: IMPORT_BODY.properties.delimiter },
      { filePid: PID, format: oneOf(IMPORT_FORMAT_NAMES) },
    ),
    data: object({ columns: list(text()) }),
    check: ({ actor, query }, errors) => imports.columns(actor, query, errors),
    handle: async ({ checked: columns }) => ({ columns: [...columns] }),
  });
}

function stateEndpoints(imports: ImportsService, streams: Streams, importStreams: ImportStreams): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: IMPORTS,
      access: SIGNED_IN,
      tag,
      summary: "The caller's imports, newest first; with `execution:read` those of the tenant",
      description: 'Of others neither what is wrong with their rows is answered, nor the data of an error.',
      query: parameters({
        scope: described('`tenant` needs `execution:read`', withDefault('own', oneOf(IMPORT_SCOPES))),
        status: oneOf(IMPORT_STATUSES),
        pageSize: PAGING_QUERY.pageSize,
        cursor: text({ pattern: '^[0-9A-Za-z]{1,32}$', description: '`nextCursor` of the list before' }),
      }),
      data: object({ records: list(IMPORT), nextCursor: nullable(text()) }),
      errors: ['FORBIDDEN'],
      async handle({ actor, query: { scope, status = null, pageSize, cursor = null } }) {
        const { records, nextCursor } = await imports.list(actor, { scope, status }, cursor, pageSize);
        return { records: records.map((found) => presentListed(found, actor)), nextCursor };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${IMPORTS}/:pid`,
      access: SIGNED_IN,
      tag,
      summary: "How one of the caller's imports stands",
      data: IMPORT,
      handle: async ({ actor, params }) => importState(await imports.find(actor, params.pid)),
    }),
    endpoint({
      method: 'GET',
      path: `${IMPORTS}/:pid/problems`,
      access: SIGNED_IN,
      tag,
      summary: "What is wrong with the rows of one of the caller's imports, also while it goes on",
      query: parameters({ pageSize: PAGING_QUERY.pageSize, cursor: BIG_ID }),
      data: object({ records: list(PROBLEM), nextCursor: nullable(text()) }),
      async handle({ actor, params, query: { pageSize, cursor = null }, request }) {
        const language = languageOf(request);
        const { records, nextCursor } = await imports.problems(actor, params.pid, cursor, pageSize);
        const told = records.map(({ rowNumber: row, column, code, message, given }) => {
          return { row, column, code, message: language.translate(Text.from(message)), given };
        });
        return reply({ records: told, nextCursor }, { verbatim: true });
      },
    }),
    streamEndpoint(streams, {
      path: `${IMPORTS}/:pid/stream`,
      access: SIGNED_IN,
      tag,
      summary: 'An import, live: events `import`, then `end`',
      async open({ actor, params }) {
        const { pid } = await imports.find(actor, params.pid);
        return {
          key: streamKey('import', pid),
          // An import stays that of its caller, its tenant and its environment, which the request names.
          recheck: () => undefined,
          feed: (signal) => importStreams.follow(pid, signal),
        };
      },
    }),
  ];
}

function cancelEndpoint(imports: ImportsService): Endpoint {
  return endpoint({
    method: 'POST',
    path: `${IMPORTS}/:pid/cancel`,
    access: SIGNED_IN,
    tag,
    summary: "Cancel one of the caller's imports: what it has done stays, nothing follows",
    data: IMPORT,
    errors: ['CONFLICT'],
    handle: async ({ actor, params }) => importState(await imports.cancel(actor, params.pid)),
  });
}

/** The data of an error can hold values of rows, which the reader may not read. */
function presentListed(found: ImportRecord, { userPid }: Actor) {
  const { error, ...state } = importState(found);
  return { ...state, error: error && { ...error, data: found.userPid === userPid ? error.data : null } };
}
