import type { ErrorCode } from '../../foundation/errors/catalogue.ts';
import type { Budget, Route } from '../../foundation/http/route.ts';
import { ACCOUNT, PUBLIC, SIGNED_IN } from '../../platform/auth/requests/endpoint.ts';
import { nameOf, PID, text, type Keywords, type Schema } from '../../foundation/validation/schema.ts';
import { ENVELOPE, envelopeOf, errorResponses, errorSchemas } from './error-schemas.ts';
import { ENVIRONMENTS } from '../../foundation/config/environments.ts';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Keywords {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Keywords>>>>;
}

/** Requests per minute of a budget; 0: no limit. */
type PerMinute = (budget: Exclude<Budget, 'none'>) => number;

/** Limits that are configuration, as clients are told them. */
export interface PublishedLimits {
  readonly perMinute: PerMinute;
  readonly maxUploadBytes: number;
}

const describe = (
  maxUploadBytes: number,
): string => `Every answer is an envelope \`{code, message, data}\`: \`"0"\` is success, anything else an error of the catalogue. Every answer has \`X-Trace-Id\`.

\`x-permissions\` are the permission codes that a request needs, all of them; \`x-rate-limit\` is the budget that it counts to (per minute; 0: no limit); \`x-max-upload-bytes\` is the largest file that may be uploaded: ${maxUploadBytes} bytes. 405 \`METHOD_NOT_ALLOWED\` with \`Allow\` answers other methods of a path.`;

const TENANT = { $ref: '#/components/parameters/X-Tenant-Id' };
const ENVIRONMENT = { $ref: '#/components/parameters/X-Environment' };
const LANGUAGE = { $ref: '#/components/parameters/Accept-Language' };
const TRACE = { $ref: '#/components/headers/X-Trace-Id' };

const header = (name: string, schema: Schema, description: string): Keywords => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

/** All routes as one document. */
export function openApiDocument(
  routes: readonly Route[],
  version: string,
  { perMinute, maxUploadBytes }: PublishedLimits,
): OpenApiDocument {
  const paths: Record<string, Record<string, Keywords>> = {};
  for (const route of routes) {
    const methods = (paths[pathOf(route.path)] ??= {});
    methods[route.method.toLowerCase()] = operationOf(route, perMinute);
  }
  const schemas: Record<string, Keywords> = {
    Envelope: ENVELOPE as Keywords,
    ...(errorSchemas() as Record<string, Keywords>),
  };
  const shared = referring(paths, schemas) as OpenApiDocument['paths'];
  return {
    openapi: '3.1.0',
    info: { title: 'Keelson', version, description: describe(maxUploadBytes), 'x-max-upload-bytes': maxUploadBytes },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: shared,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: '`jwt` of a log-in, or the API key of a service account',
        },
      },
      parameters: {
        'X-Tenant-Id': header('X-Tenant-Id', text(), 'Act in another tenant that the caller is a member of'),
        'X-Environment': header(
          'X-Environment',
          { enum: ENVIRONMENTS },
          'The environment of the request, where it is not the one that the node serves',
        ),
        'Accept-Language': header('Accept-Language', text(), 'BCP 47 with q-values'),
      },
      headers: {
        'X-Trace-Id': { description: 'Finds the request in the logs', schema: text() },
        'RateLimit-Limit': { description: 'Requests per minute', schema: { type: 'integer' } },
        'RateLimit-Remaining': { description: 'What is left of them', schema: { type: 'integer' } },
        'RateLimit-Reset': { description: 'Seconds until they are full again', schema: { type: 'integer' } },
      },
      schemas,
    },
  };
}

/** `/api/users/:pid` as OpenAPI has it. */
function pathOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function operationOf(route: Route, perMinute: PerMinute): Keywords {
  const { method, path, access, budget, body, bodyType = 'application/json' } = route;
  const isPublic = access.includes(PUBLIC);
  const permissions = access.filter((code) => code !== PUBLIC && code !== SIGNED_IN && code !== ACCOUNT);
  return {
    operationId: operationIdOf(method, path),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    ...(isPublic && { security: [] }),
    ...(permissions.length > 0 && { 'x-permissions': permissions }),
    ...(budget !== 'none' && { 'x-rate-limit': { budget, perMinute: perMinute(budget) } }),
    parameters: parametersOf(route),
    ...(body && { requestBody: { required: true, content: { [bodyType]: { schema: body } } } }),
    ...(route.maxBodyBytes !== undefined && { 'x-max-body-bytes': route.maxBodyBytes }),
    responses: { ...errorResponses(errorsOf(route, permissions)), ...successesOf(route) },
  };
}

/** GET /api/webhooks/:pid/deliveries -> getWebhooksPidDeliveries */
function operationIdOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Whether the request is made in a tenant and an environment. */
function isInTenant({ access }: Route): boolean {
  return !access.includes(PUBLIC) && !access.includes(ACCOUNT);
}

function parametersOf(route: Route): Keywords[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const query = route.query as { readonly properties: Readonly<Record<string, Keywords>>; readonly required: string[] };
  return [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: route.params[name] ?? (/pid$/i.test(name) ? PID : text()),
    })),
    ...Object.entries(query.properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: query.required.includes(name),
      schema,
    })),
    ...Object.entries(route.headers ?? {}).map(([name, schema]) => ({ name, in: 'header', required: false, schema })),
    ...(isInTenant(route) ? [TENANT, ENVIRONMENT] : []),
    LANGUAGE,
  ];
}

function errorsOf(route: Route, permissions: readonly string[]): ErrorCode[] {
  const { path, access, body, budget, media, errors = [] } = route;
  const of = (applies: boolean, ...codes: ErrorCode[]): ErrorCode[] => (applies ? codes : []);
  return [
    // A path or a request that is malformed is one anywhere.
    'VALIDATION_ERROR',
    ...of(body !== undefined, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT'),
    ...of(!access.includes(PUBLIC), 'UNAUTHORIZED'),
    ...of(permissions.length > 0, 'FORBIDDEN'),
    ...of(isInTenant(route), 'TENANT_FORBIDDEN'),
    ...of(path.includes(':'), 'NOT_FOUND'),
    ...of(media === undefined || media.json === true, 'NOT_ACCEPTABLE'),
    ...of(budget !== 'none', 'RATE_LIMITED'),
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    ...errors,
  ];
}

function successesOf(route: Route): Record<string, Keywords> {
  const { budget, data, successCodes = [], accepted, alwaysAccepted = false, media, whole = {} } = route;
  const limits = budget === 'none' ? [] : ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  const headers = {
    'X-Trace-Id': TRACE,
    ...Object.fromEntries(limits.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
  const json = (schema: Schema): Keywords => ({ 'application/json': { schema } });
  const response = (description: string, content: Keywords): Keywords => ({ description, headers, content });
  const wholes = Object.entries(whole).map(([status, schema]) => [status, response('The report', json(schema))]);
  const ofMedia = Object.fromEntries(
    [media?.type, ...(media?.otherTypes ?? [])].flatMap((type) =>
      media && type ? [[type, { schema: media.schema ?? text({ description: media.description }) }]] : [],
    ),
  );
  return {
    ...(!alwaysAccepted && {
      200: response('Success', {
        ...((!media || media.json) && json(envelopeOf(['0', ...successCodes], data))),
        ...ofMedia,
      }),
    }),
    ...(media?.partial && {
      206: response('The part that `Range` names', ofMedia),
      304: response('Unchanged since `If-None-Match`', {}),
    }),
    ...(accepted && { 202: response('Accepted; it goes on', json(envelopeOf(['0'], accepted))) }),
    ...(Object.fromEntries(wholes) as Record<string, Keywords>),
  };
}

/** The same with references in place of named schemas, which are collected by name. */
function referring(value: unknown, schemas: Record<string, Keywords>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => referring(item, schemas));
  const name = nameOf(value);
  const copy = (): Keywords =>
    Object.fromEntries(Object.entries(value).map(([key, child]) => [key, referring(child, schemas)]));
  if (name === undefined) return copy();
  schemas[name] ??= copy();
  return { $ref: `#/components/schemas/${name}` };
}
