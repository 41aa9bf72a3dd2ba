import { languageOf } from '../../foundation/http/language.ts';
import { endpoint, SIGNED_IN, type Endpoint } from '../../platform/auth/requests/endpoint.ts';
import { APP } from './app-schema.ts';
import type { CallerDocuments } from './caller-documents.ts';

/** What the caller may do. */
export function appEndpoints(descriptions: CallerDocuments): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/meta/app',
      access: SIGNED_IN,
      tag: 'Configuration',
      summary: 'What the caller may use: pages, models, commands, data sources, automations, assistants',
      description: 'Texts are in the language of the request. With `If-None-Match` an unchanged answer is 304.',
      data: APP,
      handle: ({ actor, request }) =>
        descriptions.reply(
          request,
          { actor, language: languageOf(request) },
          (data) => `{"code":"0","message":"ok","data":${data}}`,
        ),
    }),
  ];
}
