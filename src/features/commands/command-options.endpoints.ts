import { languageOf } from '../../foundation/http/language.ts';
import { notFound } from '../../foundation/errors/application-error.ts';
import { reply } from '../../foundation/http/reply.ts';
import { list, object, parameters, text } from '../../foundation/validation/schema.ts';
import { endpoint, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { permissionCode } from '../../platform/metadata/permissions/permission-codes.ts';
import { isReadable } from '../../platform/records/field-selection.ts';
import { LIST_QUERY } from '../../platform/records/query/query-schema.ts';
import type { RecordsFeature } from '../records/records.feature.ts';
import { COMMAND } from './definition/command-type.ts';
import { payloadFieldAt } from './definition/payload-fields.ts';

/** What to offer where a field of a command's payload is filled in. */
export function commandOptionEndpoints(optionsOf: RecordsFeature['payloadOptions']): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/meta/commands/options/:commandCode/:field',
      access: [permissionCode.commandExecute('{commandCode}')],
      tag: 'Commands',
      summary: "What can be chosen for a field of a command's payload",
      description:
        'As the options of a page, for payloads whose fields no model has; `lines.item` is a field of the items of a list.',
      query: parameters({ keyword: LIST_QUERY.properties.keyword }),
      budget: 'lists',
      data: list(object({ value: text(), label: text() })),
      async handle({ actor, params: { commandCode, field: path }, query: { keyword = '' }, request }) {
        const { metadata } = actor;
        const command = metadata.get(COMMAND, commandCode);
        const model = metadata.model(command.modelCode);
        const field = payloadFieldAt(command, model, path);
        const isOwn = command.operations.includes('CUSTOM');
        const ofModel = isOwn ? undefined : model.fields.get(path);
        if (!field || (ofModel && !isReadable(ofModel, actor.permissions))) {
          throw notFound('There is no such field with options');
        }
        const code = isOwn ? [commandCode, ...path.split('.').slice(0, -1)].join('.') : model.code;
        const of = { field, code };
        return reply(await optionsOf(actor, of, keyword, languageOf(request)), { verbatim: true });
      },
    }),
  ];
}
