import { hasVersion } from '../../foundation/http/etag.ts';
import { languageOf } from '../../foundation/http/language.ts';
import { customReply } from '../../foundation/http/reply.ts';
import {
  ANYTHING,
  BOOLEAN,
  described,
  integer,
  list,
  MAP,
  mapOf,
  NUMBER,
  object,
  oneOf,
  text,
} from '../../foundation/validation/schema.ts';
import { endpoint, SIGNED_IN, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { FIELD_TYPE_NAMES } from '../../platform/metadata/field-types/field-types.ts';
import { OPERATIONS } from '../commands/command-content.ts';
import type { AppDescriptions } from './app-description.ts';

const FIELD = object(
  { code: text(), name: text(), type: oneOf(FIELD_TYPE_NAMES), required: BOOLEAN, readOnly: BOOLEAN },
  { values: list(text()), target: text(), maxLength: integer(1), min: NUMBER, max: NUMBER },
);
const COLUMN = object({ fieldName: text(), label: text(), sortable: BOOLEAN }, { format: text(), width: integer(1) });
const PAGE = object(
  {
    pageKey: text(),
    name: text(),
    modelCode: text(),
    columns: list(COLUMN),
    sortFields: list(object({ fieldName: text(), order: oneOf(['asc', 'desc']) })),
    commands: list(text()),
    operators: described('Type of a field -> the operators of conditions on it', mapOf(list(text()))),
  },
  { form: object({ sections: list(object({ fields: list(text()) }, { name: text(), columns: integer(1) })) }) },
);
const COMMAND = object(
  {
    code: text(),
    name: text(),
    modelCode: text(),
    operations: list(oneOf(OPERATIONS)),
    payloadSchema: described('JSON Schema; of several operations, without what only a create requires', MAP),
  },
  { target: described('A CUSTOM command works on a record', BOOLEAN), fields: list(FIELD) },
);
const NAMED = object({ code: text(), name: text() });

/** What the caller may do. */
export function appEndpoints(descriptions: AppDescriptions): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/meta/app',
      access: SIGNED_IN,
      tag: 'Configuration',
      summary: 'What the caller may use: pages, models, commands, data sources, automations, assistants',
      description: 'Texts are in the language of the request. With `If-None-Match` an unchanged answer is 304.',
      data: object({
        environment: text(),
        metadataVersion: integer(0),
        pages: list(PAGE),
        models: list(object({ code: text(), name: text(), fields: list(FIELD) })),
        commands: list(COMMAND),
        dataSources: list(NAMED),
        views: list(ANYTHING),
        automations: list(object({ code: text(), name: text(), inputSchema: MAP })),
        assistants: list(NAMED),
      }),
      async handle({ actor, request }) {
        const { text: data, etag } = await descriptions.of(actor, languageOf(request));
        return customReply((response) => {
          response.set({ ETag: etag, 'Cache-Control': 'private, no-cache' }).vary('Authorization');
          if (hasVersion(request, etag)) response.status(304).end();
          else response.type('json').end(`{"code":"0","message":"ok","data":${data}}`);
        });
      },
    }),
  ];
}
