import type { ResourceDraft } from '../../../src/platform/metadata/changes/resources.service.ts';
import { SECRETS, type Codes } from './worlds.ts';

const PARAMS = [{ code: 'least', name: 'Least', type: 'integer' }];

/** What authors may have made over hidden fields: views, data sources, automations and an assistant. */
export function configurationOver(codes: Codes): ResourceDraft[] {
  const { thing } = codes;
  const source = (name: string, content: object): ResourceDraft => {
    return { resourceType: 'DATASOURCE', code: `${thing}_${name}`, content: { name, ...content } };
  };
  const sql = (name: string, text: string, params: object[] = []) => source(name, { kind: 'sql', sql: text, params });
  const ofModel = { kind: 'model', modelCode: thing, fields: ['name'] };
  const least = [{ fieldName: 'level', operator: 'gte', value: '$params.least' }];
  const gold = [{ fieldName: 'band', operator: 'eq', value: SECRETS.band }];
  return [
    { resourceType: 'VIEW', code: `${thing}_gold`, content: { name: 'Gold', pageKey: thing, conditions: gold } },
    sql('all', `select t.* from mt_${thing} t order by t.name`),
    sql('named', `select name, level from mt_${thing} order by name`),
    sql('where', `select name from mt_${thing} where :least is null or level >= :least`, PARAMS),
    source('sorted', { ...ofModel, sortFields: [{ fieldName: 'level', order: 'asc' }] }),
    source('param', { ...ofModel, params: PARAMS, conditions: [{ or: least }] }),
    source('compared', { ...ofModel, params: PARAMS, conditions: [{ not: least[0] }] }),
    ...automationsOver(codes),
    findingCommand(codes),
    dashboardOver(codes),
    {
      resourceType: 'ASSISTANT',
      code: thing,
      content: {
        name: 'A',
        systemPrompt: 'Answer.',
        tools: { list: [thing], read: [thing], describe: [thing], commands: [codes.write] },
      },
    },
  ];
}

/** The codes of its tiles: what all may see, and what hidden fields say. */
export const TILES = ['all', 'found', 'grouped', 'highest', 'before', 'rows'] as const;

function dashboardOver({ thing }: Codes): ResourceDraft {
  const tile = (code: (typeof TILES)[number], content: object) => ({ code, title: code, kind: 'table', ...content });
  const page = thing;
  const found = [{ fieldName: 'level', operator: 'gte', value: 6 }];
  const tiles = [
    tile('all', { page, aggregate: { groupBy: [{ fieldName: 'name' }] } }),
    tile('found', { page, kind: 'number', conditions: found }),
    tile('grouped', { page, aggregate: { groupBy: [{ fieldName: 'band' }] } }),
    tile('highest', {
      page,
      kind: 'number',
      aggregate: { measures: [{ fn: 'max', fieldName: 'level', as: 'highest' }] },
    }),
    tile('before', { page, kind: 'number', compareWith: { label: 'before', conditions: found } }),
    tile('rows', { dataSource: `${thing}_named` }),
  ];
  return { resourceType: 'DASHBOARD', code: thing, content: { name: 'D', tiles } };
}

/** Looks by a hidden field for what its caller says. */
function findingCommand({ thing, find }: Codes): ResourceDraft {
  const filters = [{ fieldName: 'level', operator: 'gte', value: 'payload.least' }];
  const query = { type: 'query', modelCode: thing, filters };
  const steps = [
    { ...query, id: 'found', limit: 3 },
    { ...query, id: 'counted', measures: [{ fn: 'count', as: 'n' }] },
    { type: 'query', id: 'all', modelCode: thing, limit: 3, sortField: 'name' },
  ];
  const result = {
    found: 'steps.found.records',
    n: 'steps.counted.n',
    is: 'steps.found.record != null',
    names: 'steps.all.records.map(each, each.name)',
    levels: 'steps.all.records.map(each, each.level)',
  };
  const payload = [...PARAMS, { code: 'like', name: 'Like', type: 'relation', target: thing }];
  const content = { name: 'F', modelCode: thing, operations: ['CUSTOM'], payload, steps, result };
  return { resourceType: 'COMMAND', code: find, content };
}

function automationsOver({ thing, write }: Codes): ResourceDraft[] {
  const automation = (name: string, content: object): ResourceDraft => {
    const whole = { name, trigger: { type: 'manual' }, ...content };
    return { resourceType: 'AUTOMATION', code: `${thing}_${name}`, content: whole };
  };
  const onWrite = { type: 'command', commandCode: write };
  const found = { id: 'found', type: 'query', modelCode: thing };
  const input = [{ code: 'least', name: 'Least', type: 'integer' }];
  const filters = [{ fieldName: 'level', operator: 'gte', value: 'input.least' }];
  const wait = { id: 'told', type: 'waitForEvent', eventType: write, timeoutSeconds: 2 };
  return [
    automation('own', { input, steps: [{ ...found, filters }] }),
    automation('chosen', {
      input: [{ code: 'like', name: 'Like', type: 'relation', target: thing }],
      steps: [found],
    }),
    automation('sees', { input, runAs: 'ADMIN', steps: [{ ...found, filters }] }),
    automation('sorts', { input, runAs: 'ADMIN', steps: [{ ...found, sortField: 'level', limit: 1 }] }),
    automation('condition', {
      trigger: { ...onWrite, filter: 'result.level > 6 && result.size == 4' },
      steps: [found],
    }),
    automation('awaits', {
      input,
      steps: [{ ...wait, filter: 'event.result.level > 6', onError: 'continue' }, found],
    }),
  ];
}
