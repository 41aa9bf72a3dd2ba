import type { ErrorCode } from '../errors/catalogue.ts';
import { PUBLIC, SIGNED_IN, type RegisteredRoute } from '../http/access.ts';
import type { Budget, Contract } from '../http/contract.ts';
import { nameOf, text, type Schema } from '../http/schema.ts';
import { ENVELOPE, envelopeOf, errorResponses, errorSchemas } from './error-schemas.ts';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Schema {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

/** Requests per minute of a budget; 0: no limit. */
type PerMinute = (budget: Exclude<Budget, 'none'>) => number;

/** Limits that are configuration, as clients are told them. */
export interface PublishedLimits {
  readonly perMinute: PerMinute;
  readonly maxUploadBytes: number;
}

type Declared = RegisteredRoute & { readonly method: string; readonly contract: Contract };

const describe = (
  maxUploadBytes: number,
): string => `Every answer is an envelope \`{code, message, data}\`: \`"0"\` is success, anything else an error of the catalogue. Every answer has \`X-Trace-Id\`.

\`x-permissions\` are the permission codes that a request needs, all of them; \`x-rate-limit\` is the budget that it counts to (per minute; 0: no limit); \`x-max-upload-bytes\` is the largest file that may be uploaded: ${maxUploadBytes} bytes. 405 \`METHOD_NOT_ALLOWED\` with \`Allow\` answers other methods of a path.`;

const TENANT = { $ref: '#/components/parameters/X-Tenant-Id' };
const ENVIRONMENT = { $ref: '#/components/parameters/X-Environment' };
const LANGUAGE = { $ref: '#/components/parameters/Accept-Language' };
const TRACE = { $ref: '#/components/headers/X-Trace-Id' };

const header = (name: string, schema: Schema, description: string): Schema => ({
  ...{ name, in: 'header', required: false, description, schema },
});

/** What the routes declare, as one document. Routes for all methods (which only answer 405) and those without a contract are not in it. */
export function openApiDocument(
  routes: readonly RegisteredRoute[],
  version: string,
  { perMinute, maxUploadBytes }: PublishedLimits,
): OpenApiDocument {
  const declared = routes.filter((route): route is Declared => route.method !== null && route.contract !== null);
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of declared) {
    const methods = (paths[pathOf(route.path)] ??= {});
    methods[route.method.toLowerCase()] ??= operationOf(route, perMinute);
  }
  const schemas: Record<string, Schema> = { Envelope: ENVELOPE, ...errorSchemas() };
  const shared = referring(paths, schemas) as OpenApiDocument['paths'];
  return {
    openapi: '3.1.0',
    info: { title: 'Keelson', version, description: describe(maxUploadBytes), 'x-max-upload-bytes': maxUploadBytes },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(declared.map(({ contract }) => contract.tag))].map((name) => ({ name })),
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
          { enum: ['dev', 'staging', 'prod'] },
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

function operationOf({ method, path, access, contract }: Declared, perMinute: PerMinute): Schema {
  const codes = access ?? [];
  const isPublic = codes.includes(PUBLIC);
  const budget = budgetOf(method, isPublic, contract);
  const permissions = codes.filter((code) => code !== PUBLIC && code !== SIGNED_IN);
  return {
    operationId: operationIdOf(method, path),
    tags: [contract.tag],
    summary: contract.summary,
    ...(contract.description !== undefined && { description: contract.description }),
    ...(isPublic && { security: [] }),
    ...(permissions.length > 0 && { 'x-permissions': permissions }),
    ...(budget !== 'none' && { 'x-rate-limit': { budget, perMinute: perMinute(budget) } }),
    parameters: parametersOf(path, isPublic, contract),
    ...(contract.body && {
      requestBody: { required: true, content: { 'application/json': { schema: contract.body } } },
    }),
    ...(contract.maxBodyBytes !== undefined && { 'x-max-body-bytes': contract.maxBodyBytes }),
    responses: {
      ...errorResponses(errorsOf(path, isPublic, budget, permissions, contract)),
      ...successesOf(contract, budget),
    },
  };
}

/** GET /api/webhooks/:pid/deliveries -> getWebhooksPidDeliveries */
function operationIdOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function budgetOf(method: string, isPublic: boolean, { budget, ofAccount = false }: Contract): Budget {
  if (budget !== undefined) return budget;
  if (isPublic || ofAccount) return 'none';
  return method === 'GET' ? 'reads' : 'changes';
}

function parametersOf(path: string, isPublic: boolean, contract: Contract): Schema[] {
  const { path: inPath = {}, query = {}, requiredQuery = [], headers = {}, ofAccount = false } = contract;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  return [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: inPath[name] ?? text() })),
    ...Object.entries(query).map(([name, schema]) => ({
      ...{ name, in: 'query', required: requiredQuery.includes(name), schema },
    })),
    ...Object.entries(headers).map(([name, schema]) => ({ name, in: 'header', required: false, schema })),
    ...(isPublic || ofAccount ? [] : [TENANT, ENVIRONMENT]),
    LANGUAGE,
  ];
}

function errorsOf(
  path: string,
  isPublic: boolean,
  budget: Budget,
  permissions: readonly string[],
  { body, ofAccount = false, errors = [], media }: Contract,
): ErrorCode[] {
  const inTenant = !isPublic && !ofAccount;
  const of = (applies: boolean, ...codes: ErrorCode[]): ErrorCode[] => (applies ? codes : []);
  return [
    // A path or a request that is malformed is one anywhere.
    'VALIDATION_ERROR',
    ...of(body !== undefined, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
    ...of(!isPublic, 'UNAUTHORIZED'),
    ...of(permissions.length > 0, 'FORBIDDEN'),
    ...of(inTenant, 'TENANT_FORBIDDEN'),
    ...of(path.includes(':'), 'NOT_FOUND'),
    ...of(media === undefined || media.json === true, 'NOT_ACCEPTABLE'),
    ...of(budget !== 'none', 'RATE_LIMITED'),
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    ...errors,
  ];
}

function successesOf(contract: Contract, budget: Budget): Record<string, Schema> {
  const { data, successCodes = [], accepted, alwaysAccepted = false, media, whole } = contract;
  const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  const counted = budget === 'none' ? [] : limits.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  const headers = { 'X-Trace-Id': TRACE, ...(Object.fromEntries(counted) as Record<string, Schema>) };
  const json = (schema: Schema): Schema => ({ 'application/json': { schema } });
  const response = (description: string, content: Schema): Schema => ({ description, headers, content });
  const wholes = Object.entries(whole ?? {}).map(([status, schema]) => [status, response('The report', json(schema))]);
  return {
    ...(!alwaysAccepted && {
      200: response('Success', {
        ...((!media || media.json) && json(envelopeOf(['0', ...successCodes], data))),
        ...(media && { [media.type]: { schema: media.schema ?? text({ description: media.description }) } }),
      }),
    }),
    ...(accepted && { 202: response('Accepted; it goes on', json(envelopeOf(['0'], accepted))) }),
    ...(Object.fromEntries(wholes) as Record<string, Schema>),
  };
}

/** The same with references in place of named schemas, which are collected by name. */
function referring(value: unknown, schemas: Record<string, Schema>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => referring(item, schemas));
  const name = nameOf(value);
  const copy = (): Schema =>
    Object.fromEntries(Object.entries(value).map(([key, child]) => [key, referring(child, schemas)]));
  if (name === undefined) return copy();
  schemas[name] ??= copy();
  return { $ref: `#/components/schemas/${name}` };
}
