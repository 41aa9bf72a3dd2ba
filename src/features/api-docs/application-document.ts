import { conflict } from '../../foundation/errors/application-error.ts';
import { text } from '../../foundation/i18n/text.ts';
import { letOthersRun } from '../../foundation/jobs/turns.ts';
import type { Keywords } from '../../foundation/validation/schema.ts';
import type { App } from '../app/app-schema.ts';
import { AppReader } from '../app/app-reader.ts';
import type { WriteDocument } from '../app/caller-documents.ts';
import { MAX_DESCRIBED } from './api-docs.limits.ts';
import { commandBodySchema, commandResultSchema, recordSchemas } from './application-schemas.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { COMMAND_BODY, COMMAND_RESULT, filled, OperationTemplates, type Template } from './operation-templates.ts';

/** What a client of an application needs beside its pages and commands. */
const BESIDE = ['/api/auth/login', '/api/auth/refresh', '/api/meta/commands/executions/{pid}'];

const TOO_MANY = 'There are more than {max} models, pages and commands: ask with a role that may use fewer';
const DESCRIPTION =
  'What the caller may use of the application: a path for each page and command. `GET /api/openapi.json` ' +
  'describes the other routes. Records of lists may be asked for with some of their fields only (`fields`).';

/**
 * Writes the OpenAPI document of a caller's application: the fixed routes of pages and commands, once for
 * each page and command that the caller may use, with its types. It throws CONFLICT, reason LIMIT, where
 * these are too many for one document.
 */
export function applicationDocumentOf(fixed: OpenApiDocument): WriteDocument {
  const templates = new OperationTemplates(fixed);
  const beside = BESIDE.flatMap((path) => templates.at(path));
  const ofPages = templates.under('/api/dynamic', 'pageKey');
  const ofCommands = templates.under('/api/meta/commands', 'commandCode');
  const common = Object.entries(templates.commonSchemas([...beside, ...ofPages, ...ofCommands]));
  const { securitySchemes, headers } = fixed.components as Record<string, Keywords>;
  const components = JSON.stringify({ securitySchemes, headers, ...templates.shared }).slice(0, -1);
  return async (actor, language) => {
    const { environment, version } = actor.metadata;
    const { pages, models, commands } = new AppReader(actor, language).parts();
    const paths = beside.map(({ path, method, operation }) => member([path, { [method]: operation }]));
    const schemas = common.map(member);
    const readable = new Set<string>();
    let described = 0;
    const count = async (): Promise<void> => {
      await letOthersRun();
      if (++described > MAX_DESCRIBED) throw conflict('LIMIT', text(TOO_MANY, { max: MAX_DESCRIBED }));
    };
    for (const model of models) {
      await count();
      readable.add(model.code);
      const around = templates.schemasAround((name) => recordName(name, model.code, true));
      schemas.push(...[...recordSchemas(model), ...around].map(member));
    }
    for (const page of pages) {
      await count();
      paths.push(...pathsOfPage(page, ofPages, templates.ofRecords));
    }
    for (const command of commands) {
      await count();
      const name = command.code.replace(':', '.');
      const body = commandBodySchema(command, templates.commandBody);
      schemas.push(member([`${COMMAND_BODY}.${name}`, body]));
      schemas.push(member([`${COMMAND_RESULT}.${name}`, commandResultSchema(actor, command.code, readable)]));
      paths.push(...pathsOfCommand(command, ofCommands));
    }
    const head = {
      openapi: fixed.openapi,
      info: { title: `Keelson: ${environment}`, version: String(version), description: DESCRIPTION },
      servers: fixed.servers,
      security: fixed.security,
    };
    return (
      `${JSON.stringify(head).slice(0, -1)},"paths":{${paths.join(',')}},` +
      `"components":${components},"schemas":{${schemas.join(',')}}}}`
    );
  };
}

/**
 * `Record` of the fixed document for one model.
 * @param selectsFields whether some of the fields may be absent
 */
function recordName(name: string, modelCode: string, selectsFields: boolean): string {
  return `${name === 'Record' && selectsFields ? 'SomeFields' : name}.${modelCode}`;
}

function pathsOfPage(
  { pageKey, name: title, modelCode }: App['pages'][number],
  templates: readonly Template[],
  ofRecords: ReadonlySet<string>,
): string[] {
  const operations = templates.map((template) => {
    const { path, method, name, summary, operation, selectsFields } = template;
    const nameOf = (schema: string): string =>
      ofRecords.has(schema) ? recordName(schema, modelCode, selectsFields) : schema;
    const own = filled(operation, { values: { pageKey, modelCode }, nameOf }) as Keywords;
    const described = { ...own, operationId: `${pageKey}.${name}`, tags: [pageKey], summary: `${title}: ${summary}` };
    return { path: path.replace('{pageKey}', pageKey), method, described };
  });
  return pathsOf(operations);
}

function pathsOfCommand({ code, name: title }: App['commands'][number], templates: readonly Template[]): string[] {
  const schemaOf = new Set([COMMAND_BODY, COMMAND_RESULT]);
  const nameOf = (schema: string): string => (schemaOf.has(schema) ? `${schema}.${code.replace(':', '.')}` : schema);
  const operations = templates.map(({ path, method, name, summary, operation }) => {
    const own = filled(operation, { values: { commandCode: code }, nameOf }) as Keywords;
    const [namespace = ''] = code.split(':');
    const described = { ...own, operationId: `${code}.${name}`, tags: [namespace], summary: `${title}: ${summary}` };
    return { path: path.replace('{commandCode}', code), method, described };
  });
  return pathsOf(operations);
}

function pathsOf(operations: readonly { path: string; method: string; described: Keywords }[]): string[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].map(([path, methods]) =>
    member([path, Object.fromEntries(methods.map(({ method, described }) => [method, described]))]),
  );
}

function member([key, value]: readonly [string, unknown]): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}
