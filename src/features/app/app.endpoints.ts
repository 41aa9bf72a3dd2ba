import type { Config } from '../../foundation/config/config.ts';
import { languageOf } from '../../foundation/http/language.ts';
import { described, nullable, object, text } from '../../foundation/validation/schema.ts';
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

/** Where workflows can be looked at: Temporal asks itself who may. */
export function temporalEndpoint({ uiUrl, namespace }: Config['temporal']): Endpoint {
  const base = uiUrl?.replace(/\/+$/, '');
  const workflowUrl = base === undefined ? null : `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/{id}`;
  return endpoint({
    method: 'GET',
    path: '/api/meta/temporal',
    access: SIGNED_IN,
    tag: 'Configuration',
    summary: "Where a workflow is in Temporal's Web UI",
    data: object({
      workflowUrl: described(
        'With `{id}` for the id of the workflow; null without `TEMPORAL_UI_URL`',
        nullable(text()),
      ),
    }),
    handle: () => ({ workflowUrl }),
  });
}
