import { readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';
import type { CommandContent } from '../../src/features/commands/definition/command-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { inEnglish } from '../support/in-english.ts';
import { resourceTypes } from '../support/resource-types.ts';

const problemsOf = (...resource: Parameters<typeof resourceTypes.problemsOfContent>) =>
  inEnglish(resourceTypes.problemsOfContent(...resource));
const name = { code: 'name', name: 'Name', type: 'string' } as const;

const ofModel = (content: object, code = 'thing') => problemsOf('MODEL', code, { name: 'Thing', ...content });
const ofFields = (...fields: object[]) => ofModel({ fields });
/** The problems of one field, by what stands behind its place in the model. */
const ofField = (field: Partial<FieldContent>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(ofFields({ code: 'f', name: 'F', ...field })).map(([path, problem]) => [
      path.replace('content.fields.0.', ''),
      problem,
    ]),
  );
const ofCommand = (content: Partial<CommandContent>) =>
  problemsOf('COMMAND', 'test:do', { name: 'Do', modelCode: 'thing', operations: ['CREATE'], ...content });

describe('every resource', () => {
  it.each(
    readdirSync(new URL('../../demo/resources', import.meta.url), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.yaml'),
    ),
  )('of the demo is valid: %s', (file) => {
    const text = readFileSync(new URL(`../../demo/resources/${file}`, import.meta.url), 'utf8');
    const { resourceType, code, content } = parse(text) as {
      resourceType: string;
      code: string;
      content: object;
    };

    expect(problemsOf(resourceType, code, content)).toEqual({});
  });

  it.each<[string, string[], string[]]>([
    ['MODEL', ['a', 'a_1', 'a'.repeat(48)], ['', 'A', '1a', '_a', 'a-b', 'a b', 'a"', 'ä', 'a\n', 'a'.repeat(49)]],
    ['PAGE_SCHEMA', ['a', 'a-b_1', 'a'.repeat(64)], ['', 'A', '1', 'a/b', 'a.b', 'a'.repeat(65)]],
    ['COMMAND', ['crm:create_lead', 'a:b'], ['', 'create', 'a:', ':a', 'a:b:c', 'A:b', 'a:b c']],
    ['PERMISSION', ['SALES', 'A_1'], ['', 'sales', '1A', 'A-B', 'PLATFORM_ADMIN', 'ADMIN']],
    ['DATASOURCE', ['a', 'a_1'], ['', 'A', 'a-b']],
    ['I18N', ['a', 'crm.zh-cn'], ['', 'A', 'a b']],
    ['AUTOMATION', ['a', 'a_1', 'a'.repeat(48)], ['', 'A', 'a-b', 'a:b', 'a.b', 'a'.repeat(49)]],
  ])('%s has a code of the form of its type', (resourceType, good, bad) => {
    const problem = (code: string) => problemsOf(resourceType, code, {}).code;
    for (const code of good) expect([code, problem(code)]).toEqual([code, undefined]);
    for (const code of bad) expect([code, problem(code)]).toEqual([code, expect.any(String)]);
  });

  it.each<[string, object]>([
    ['MODEL', { name: 'X', fields: [name] }],
    ['PAGE_SCHEMA', { name: 'X', modelCode: 'thing', columns: ['name'] }],
    ['COMMAND', { name: 'X', modelCode: 'thing', operations: ['CREATE'] }],
    ['PERMISSION', { name: 'X', codes: ['*'] }],
    ['DATASOURCE', { name: 'X', kind: 'static', rows: [] }],
    ['ASSISTANT', { name: 'X', systemPrompt: 'x', tools: { list: ['thing'] } }],
    ['IM_CHANNEL', { name: 'X', kind: 'slack', assistant: 'a' }],
    ['I18N', { locale: 'en', messages: {} }],
    ['DASHBOARD', { name: 'X', tiles: [{ code: 'a', title: 'A', kind: 'number', page: 'things' }] }],
    ['AUTOMATION', { name: 'X', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'wait', seconds: 1 }] }],
  ])('%s refuses unknown keys and names each', (resourceType, content) => {
    const code = { COMMAND: 'a:b', PERMISSION: 'A' }[resourceType] ?? 'a';
    expect(problemsOf(resourceType, code, content)).toEqual({});
    expect(problemsOf(resourceType, code, { ...content, colour: 1, toString: 2 })).toEqual({
      'content.colour': 'is not a known key',
      'content.toString': 'is not a known key',
    });
  });

  it.each([null, 'x', 7, []])('refuses a content that is no object: %j', (content) => {
    for (const type of ['MODEL', 'PAGE_SCHEMA', 'COMMAND', 'PERMISSION', 'DATASOURCE', 'I18N', 'AUTOMATION'] as const) {
      expect(Object.keys(problemsOf(type, 'a:b', content))).toContain('content');
    }
  });

  it('reports all problems at once, each with its path', () => {
    expect(
      ofFields({ code: 'Bad Code', name: '', type: 'string' }, { name: 'F', type: 'money', required: 'yes' }),
    ).toEqual({
      'content.fields.0.code': expect.stringContaining('must match ^[a-z]'),
      'content.fields.0.name': expect.any(String),
      'content.fields.1.code': 'is required',
      'content.fields.1.type': expect.stringContaining('must be one of string, text, integer'),
      'content.fields.1.required': 'must be true or false',
    });
  });
});

describe('the texts of a language', () => {
  const ofI18n = (locale: unknown, messages: unknown) => problemsOf('I18N', 'crm', { locale, messages });

  it('have a locale that is a BCP 47 tag in its canonical form', () => {
    for (const locale of ['en', 'zh-CN', 'zh-Hant-TW', 'de']) expect(ofI18n(locale, { 'a.b': 'x' })).toEqual({});
    expect(ofI18n('zh-cn', {})).toEqual({ 'content.locale': 'must be written zh-CN' });
    for (const locale of ['', 'x', 'zh_CN', 'a language', '../en', 7]) {
      expect(Object.keys(ofI18n(locale, {}))).toEqual(['content.locale']);
    }
  });

  it('are texts under keys', () => {
    for (const messages of [{ a: 1 }, { a: '' }, { 'a b': 'x' }, { '': 'x' }, [], null]) {
      expect(ofI18n('en', messages)).not.toEqual({});
    }
    expect(Object.keys(ofI18n('en', JSON.parse('{"__proto__": {"a": 1}}')))).not.toEqual([]);
  });
});

describe('the fields of a model', () => {
  it('are at least one, each with a code of its own', () => {
    expect(ofModel({ fields: [] })).toEqual({ 'content.fields': expect.any(String) });
    expect(ofFields(name, name)).toEqual({ 'content.fields.1.code': 'is used by two fields' });
  });

  it.each(['id', 'pid', 'tenant_id', 'created_at', 'created_by', 'updated_at', 'updated_by', 'version', 'deleted_at'])(
    'leave the code %s to the platform',
    (code) => {
      expect(ofFields(name, { ...name, code })).toEqual({ 'content.fields.1.code': 'is the code of a system field' });
    },
  );

  it.each(['constructor', 'prototype'])('cannot have the code %s, which no payload may hold as a key', (code) => {
    const problem = 'is refused as a key of JSON: no payload could hold it';
    expect(ofField({ code, type: 'string' })).toEqual({ code: problem });
    expect(ofFields(name, { ...name, code: 'b', renamedFrom: code })).toEqual({});
  });

  it.each(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])('leave the code %s to Postgres', (code) => {
    expect(ofField({ code, type: 'string' })).toEqual({ code: 'is the code of a system field' });
  });

  it('are bound by row rules whose conditions have the form of filters', () => {
    const ofRule = (...conditions: object[]) => ofModel({ fields: [name], rowRules: [{ name: 'R', conditions }] });
    const condition = { fieldName: 'name', operator: 'eq', value: '$user.pid' };
    expect(ofRule(condition, { or: [condition, { not: condition }] })).toEqual({});
    const at = 'content.rowRules.0.conditions.';
    const problem = 'must be a condition: fieldName with operator, or one of and, or, not';
    expect(ofRule({ fieldName: 'name' })).toEqual({ [`${at}0`]: problem });
    expect(ofRule(condition, { or: [] })).toEqual({ [`${at}1`]: problem });
    expect(ofRule({ ...condition, or: [condition] })).toEqual({ [`${at}0`]: problem });
  });

  it('take patterns that are regular expressions', () => {
    expect(ofField({ type: 'string', pattern: '^[a-z]+$' })).toEqual({});
    expect(ofField({ type: 'string', pattern: '(' })).toHaveProperty('pattern');
  });

  it('have values if they are an enum, and a target if they are a relation', () => {
    expect(ofField({ type: 'enum' })).toEqual({ values: 'is required' });
    expect(ofField({ type: 'relation' })).toEqual({ target: 'is required' });
  });

  it('have a min that is not above the max', () => {
    expect(ofField({ type: 'integer', min: 1, max: 1 })).toEqual({});
    expect(ofField({ type: 'integer', min: 2, max: 1 })).toEqual({ min: 'is greater than max' });
  });

  it.each(['unique', 'indexed'])('are %s only where their longest text fits an index', (option) => {
    const problem = { [option]: 'needs a maxLength of at most 600' };
    expect(ofField({ type: 'text', [option]: true })).toEqual(problem);
    expect(ofField({ type: 'string', maxLength: 601, [option]: true })).toEqual(problem);
    expect(ofField({ type: 'text', maxLength: 600, [option]: true })).toEqual({});
    expect(ofField({ type: 'enum', values: ['x'.repeat(256)], [option]: true })).toHaveProperty(['values.0']);
  });
});

describe('options fit the type of their field', () => {
  const valid: Record<string, Partial<FieldContent>> = {
    string: { maxLength: 5, pattern: '^a', searchable: true, indexed: true, unique: true },
    text: { maxLength: 5, pattern: '^a', searchable: true },
    integer: { min: 0, max: 9, indexed: true, unique: true },
    bigint: { min: 0, max: 9 },
    decimal: { min: 0.5, max: 9.5 },
    boolean: { indexed: true },
    date: { unique: true },
    datetime: { indexed: true },
    enum: { values: ['a'], searchable: true, unique: true },
    json: { required: true },
    relation: { target: 'thing', unique: true },
    file: { readPermission: true, writePermission: true },
  };

  it.each(Object.entries(valid))('%s takes %j', (type, options) => {
    expect(ofField({ type: type as FieldContent['type'], ...options })).toEqual({});
  });

  it.each<[keyof FieldContent, unknown, string[]]>([
    ['min', 1, ['integer', 'bigint', 'decimal']],
    ['max', 1, ['integer', 'bigint', 'decimal']],
    ['maxLength', 1, ['string', 'text']],
    ['pattern', '^a', ['string', 'text']],
    ['values', ['a'], ['enum']],
    ['target', 'thing', ['relation']],
    ['searchable', true, ['string', 'text', 'enum']],
  ])('%s belongs to some types only', (option, value, types) => {
    for (const [type, options] of Object.entries(valid)) {
      const needed = { values: options.values, target: options.target };
      const problems = ofField({ ...needed, type: type as FieldContent['type'], [option]: value });
      expect([type, problems]).toEqual([
        type,
        types.includes(type) ? {} : { [option]: `is for fields of type ${types.join(', ')}` },
      ]);
    }
  });

  it.each(['unique', 'indexed'])('%s is not for json', (option) => {
    expect(ofField({ type: 'json', [option]: true })).toEqual({ [option]: 'is not possible for json' });
    expect(ofField({ type: 'json', [option]: false })).toEqual({});
  });
});

describe("a field's default", () => {
  it.each<[Partial<FieldContent>, unknown]>([
    [{ type: 'string' }, 'x'],
    [{ type: 'string' }, null],
    [{ type: 'integer', min: 1 }, 1],
    [{ type: 'bigint' }, '9007199254740993'],
    [{ type: 'decimal' }, 0.5],
    [{ type: 'boolean' }, false],
    [{ type: 'date' }, '2026-01-31'],
    [{ type: 'datetime' }, '2026-01-31T00:00:00Z'],
    [{ type: 'enum', values: ['a', 'b'] }, 'b'],
    [{ type: 'json' }, { any: ['thing'] }],
  ])('%j may be %j', (field, value) => {
    expect(ofField({ ...field, default: value })).toEqual({});
  });

  it.each<[Partial<FieldContent>, unknown, string]>([
    [{ type: 'string' }, 7, 'must be a text'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'must not be longer than 2 characters'],
    [{ type: 'string', pattern: '^a' }, 'b', 'must match ^a'],
    [{ type: 'string', pattern: '^a', patternMessage: '$i18n:t.begins' }, 'b', '$i18n:t.begins'],
    [{ type: 'string', required: true }, null, 'is required'],
    [{ type: 'integer' }, '1', 'must be a whole number between'],
    [{ type: 'integer', min: 5 }, 1, 'must not be less than 5'],
    [{ type: 'decimal', max: 5 }, '5.1', 'must not be greater than 5'],
    [{ type: 'boolean' }, 'true', 'must be true or false'],
    [{ type: 'date' }, '2026-02-30', 'must be a date'],
    [{ type: 'datetime' }, 'now', 'must be an ISO 8601 time'],
    [{ type: 'enum', values: ['a'] }, 'b', 'must be one of a'],
    [{ type: 'relation', target: 'thing' }, 'no pid!', 'must be the pid of a record'],
    [{ type: 'text' }, 'a\0', 'must not contain NUL'],
  ])('of %j may not be %j', (field, value, problem) => {
    expect(ofField({ ...field, default: value })).toEqual({ default: expect.stringContaining(problem) });
  });

  it('says what its pattern asks for only where it has one', () => {
    expect(ofField({ type: 'string', patternMessage: 'Begins with a' })).toEqual({ patternMessage: 'needs a pattern' });
  });

  it('is not judged by options that are wrong themselves', () => {
    expect(ofField({ type: 'boolean', maxLength: 3, default: true })).toEqual({ maxLength: expect.any(String) });
  });

  it('is checked in the payload of a CUSTOM command, too', () => {
    const payload = [{ ...name, default: 7 }];
    const steps = [{ id: 'one', operation: 'DELETE' as const, modelCode: 'thing', target: 'payload.name' }];

    expect(ofCommand({ operations: ['CUSTOM'], payload, steps })).toEqual({
      'content.payload.0.default': 'must be a text',
    });
  });
});

describe('a command', () => {
  const step = (id: string, values: Record<string, string>, rest: object = {}) => ({
    id,
    operation: 'CREATE' as const,
    modelCode: 'thing',
    values,
    ...rest,
  });
  const custom = (content: Partial<CommandContent>) => ofCommand({ operations: ['CUSTOM'], ...content });

  it('that is CUSTOM stands alone and has steps; target and payload are for it only', () => {
    expect(ofCommand({ operations: ['CUSTOM'] })).toEqual({ 'content.steps': 'is required for a CUSTOM command' });
    expect(ofCommand({ operations: ['CUSTOM', 'CREATE'], steps: [step('a', {})] })).toEqual({
      'content.operations': 'CUSTOM stands alone',
    });
    expect(ofCommand({ target: true, payload: [name], result: { a: '1' } })).toEqual({
      'content.target': 'belongs to CUSTOM commands only',
      'content.payload': 'belongs to CUSTOM commands only',
      'content.result': 'needs steps',
    });
  });

  it('has expressions that compile, wherever they stand', () => {
    expect(
      custom({
        rules: [{ assert: 'payload.', message: 'x' }],
        steps: [step('a', { name: 'nope + 1' }, { when: '1 +' })],
        result: { a: ')' },
      }),
    ).toEqual({
      'content.rules.0.assert': expect.stringContaining('is not a valid expression'),
      'content.steps.0.values.name': expect.stringContaining('is not a valid expression'),
      'content.steps.0.when': expect.stringContaining('is not a valid expression'),
      'content.result.a': expect.stringContaining('is not a valid expression'),
    });
  });

  it('has steps with ids of their own', () => {
    expect(custom({ steps: [step('a', {}), step('a', {})] })).toEqual({ 'content.steps.1.id': 'is used by two steps' });
  });

  describe('reads a step in its expressions only after it', () => {
    const first = step('first', { name: '"x"' });

    it.each([
      'steps.first.pid',
      'has(steps.first)',
      'has(steps.first.name) ? steps.first.name : "x"',
      'steps["first"].pid',
      'steps.?first.?pid.orValue("x")',
      '[1].map(n, steps.first.version + n)[0]',
      '{"a": steps.first}.a.pid',
      'payload.steps.nowhere',
      'record.steps["nowhere"]',
      '"steps.nowhere"',
      'steps[payload.which].pid',
    ])('%s may stand in a later step and in the result', (expression) => {
      expect(custom({ steps: [first, step('second', { name: expression })], result: { r: expression } })).toEqual({});
    });

    it.each([
      ['steps.nowhere.pid', 'nowhere'],
      ['has(steps.nowhere)', 'nowhere'],
      ['steps["nowhere"].pid', 'nowhere'],
      ['steps.?nowhere.pid', 'nowhere'],
      ['steps[?"nowhere"]', 'nowhere'],
      ['payload.a == 1 ? steps.first.pid : steps.nowhere.pid', 'nowhere'],
      ['[steps.first, {"a": -steps.nowhere.version}]', 'nowhere'],
      ['[1].exists(n, n == steps.nowhere.version)', 'nowhere'],
      ['!(steps.first.pid in steps.nowhere.list)', 'nowhere'],
      ['steps.constructor.name', 'constructor'],
      ['steps.second.pid', 'second'],
      ['steps.third.pid', 'third'],
    ])('%s may not stand in the second of three steps', (expression, id) => {
      const steps = [first, step('second', { name: expression }), step('third', {})];

      expect(custom({ steps })).toEqual({ 'content.steps.1.values.name': `${id} is not an earlier step` });
    });

    it('rules come before all steps, results after all', () => {
      expect(
        custom({
          rules: [{ assert: 'steps.first == null', message: 'x' }],
          steps: [step('zero', {}, { when: 'steps.first != null' }), first],
          result: { first: 'steps.first', other: 'steps.other' },
        }),
      ).toEqual({
        'content.rules.0.assert': 'first is not an earlier step',
        'content.steps.0.when': 'first is not an earlier step',
        'content.result.other': 'other is not an earlier step',
      });
    });
  });
});

describe('a role', () => {
  it('cannot have the codes that only PLATFORM_ADMIN has', () => {
    const codes = ['audit:read', 'admin:environments', 'admin:*'];
    expect(problemsOf('PERMISSION', 'R', { name: 'R', codes })).toEqual({
      'content.codes.1': 'is for PLATFORM_ADMIN alone',
      'content.codes.2': 'is for PLATFORM_ADMIN alone',
    });
  });

  it('has codes of segments, with * as the last', () => {
    const codes = ['*', 'record:*', 'record:read:*', 'field:read:lead.score', 'command:execute:crm:create_lead'];
    expect(problemsOf('PERMISSION', 'R', { name: 'R', codes })).toEqual({});
    for (const code of [
      '',
      ':',
      '*:read',
      'record:*:lead',
      'record::lead',
      'Record:read',
      'record:read:lead*',
      'a b',
    ]) {
      expect([code, problemsOf('PERMISSION', 'R', { name: 'R', codes: [code] })]).toEqual([
        code,
        { 'content.codes.0': expect.any(String) },
      ]);
    }
  });
});
