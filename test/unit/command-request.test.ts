import { ApplicationError } from '../../src/foundation/errors/application-error.ts';
import {
  EXECUTE_BODY,
  parseCommandRequest,
  type CommandRequest,
} from '../../src/features/commands/request/command-request.ts';
import type { CommandContent } from '../../src/features/commands/definition/command-content.ts';
import { toModel } from '../../src/platform/metadata/models/model.ts';
import { inEnglish } from '../support/in-english.ts';

const MODEL = toModel('dev', 'thing', {
  name: 'Thing',
  fields: [
    { code: 'name', name: 'Name', type: 'string', required: true },
    { code: 'price', name: 'Price', type: 'decimal' },
    { code: 'guarded', name: 'Guarded', type: 'string', writePermission: true },
  ],
});
const METADATA = { model: () => MODEL };
const EVERYTHING = { has: () => true };
const WRITER = { metadata: METADATA, permissions: EVERYTHING, userPid: 'A-USER', timeZone: 'UTC' };
const NOTHING = { has: () => false };

const command = (content: Partial<CommandContent>): CommandContent => ({
  name: 'A command',
  modelCode: 'thing',
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  ...content,
});
const custom = command({
  operations: ['CUSTOM'],
  payload: [
    { code: 'reason', name: 'Reason', type: 'string', required: true },
    { code: 'price', name: 'Price', type: 'decimal' },
    { code: 'at', name: 'At', type: 'datetime' },
    { code: 'big', name: 'Big', type: 'bigint' },
    { code: 'data', name: 'Data', type: 'json' },
    { code: 'kind', name: 'Kind', type: 'enum', values: ['a', 'b'], default: 'a' },
  ],
});
const PID = '01JTESTPID0000000000000000';

function parse(
  body: Record<string, unknown>,
  { of = command({}), permissions = EVERYTHING, header }: ParseOptions = {},
): CommandRequest {
  return parseCommandRequest(of, { ...WRITER, permissions }, body, header);
}

interface ParseOptions {
  of?: CommandContent;
  permissions?: { has(code: string): boolean };
  header?: string;
}

function refusal(body: Record<string, unknown>, options?: ParseOptions): { code: string; data: unknown } {
  try {
    parse(body, options);
  } catch (error) {
    if (error instanceof ApplicationError) return { code: error.code, data: error.data };
    throw error;
  }
  throw new Error('the request was accepted');
}

const problems = (body: Record<string, unknown>, options?: ParseOptions): string[] => {
  const { code, data } = refusal(body, options);
  expect(code).toBe('VALIDATION_ERROR');
  return Object.keys((data as { fieldErrors: object }).fieldErrors);
};

describe('the command request body', () => {
  it('creates when it says no operation', () => {
    expect(parse({ payload: { name: 'A' } })).toEqual({
      operation: 'CREATE',
      payload: { name: 'A' },
      targetRecordId: null,
      matchOn: null,
      expectedVersion: null,
      idempotencyKey: null,
    });
  });

  it('updates and deletes the record that it names', () => {
    const update = { operationType: 'UPDATE', targetRecordId: PID, payload: { price: 2 }, expectedVersion: 3 };

    expect(parse(update)).toMatchObject({ operation: 'UPDATE', targetRecordId: PID, expectedVersion: 3 });
    expect(parse({ operationType: 'DELETE', targetRecordId: PID })).toMatchObject({ operation: 'DELETE', payload: {} });
  });

  it.each([
    ['no payload for a create', {}, ['payload']],
    ['no payload for an update', { operationType: 'UPDATE', targetRecordId: PID }, ['payload']],
    ['an update that changes nothing', { operationType: 'UPDATE', targetRecordId: PID, payload: {} }, ['payload']],
    ['a payload for a delete', { operationType: 'DELETE', targetRecordId: PID, payload: { name: 'A' } }, ['payload']],
    ['a payload that is a list', { payload: [] }, ['payload']],
    ['a payload that is a text', { payload: 'name' }, ['payload']],
    ['a payload that is null', { payload: null }, ['payload']],
    [
      'a target for a create',
      { operationType: 'CREATE', payload: { name: 'A' }, targetRecordId: PID },
      ['targetRecordId'],
    ],
    ['no target for an update', { operationType: 'UPDATE', payload: { name: 'A' } }, ['targetRecordId']],
    ['no target for a delete', { operationType: 'DELETE' }, ['targetRecordId']],
    ['a target that cannot be a pid', { operationType: 'DELETE', targetRecordId: 'a b' }, ['targetRecordId']],
    ['a number as target', { operationType: 'DELETE', targetRecordId: 5 }, ['targetRecordId']],
    ['an operation nobody knows', { operationType: 'UPSERT', payload: { name: 'A' } }, ['operationType']],
    ['an operation in lower case', { operationType: 'create', payload: { name: 'A' } }, ['operationType']],
    ['an expected version for a create', { payload: { name: 'A' }, expectedVersion: 1 }, ['expectedVersion']],
    ['a version of 0', { operationType: 'DELETE', targetRecordId: PID, expectedVersion: 0 }, ['expectedVersion']],
    ['half a version', { operationType: 'DELETE', targetRecordId: PID, expectedVersion: 1.5 }, ['expectedVersion']],
    ['an unknown key', { payload: { name: 'A' }, paylod: {} }, ['paylod']],
    ['a field that must not be empty', { payload: { name: '' } }, ['name']],
    ['a required field left out', { payload: {} }, ['name']],
    ['a field of no model', { payload: { name: 'A', nmae: 'B' } }, ['nmae']],
    ['a system field', { payload: { name: 'A', tenant_id: '1' } }, ['tenant_id']],
    ['a value of another type', { payload: { name: 5, price: 'much' } }, ['name', 'price']],
    ['everything at once', { operationType: 'UPDATE', extra: 1 }, ['extra', 'payload', 'targetRecordId']],
  ])('is refused with %s', (_what, body, fields) => {
    expect(problems(body).sort()).toEqual(fields);
  });

  it('needs no operationType for a command that has one operation', () => {
    const update = { targetRecordId: PID, payload: { price: 2 } };
    expect(parse(update, { of: command({ operations: ['UPDATE'] }) })).toMatchObject({
      operation: 'UPDATE',
      ...update,
    });
    expect(parse({ targetRecordId: PID }, { of: command({ operations: ['DELETE'] }) })).toMatchObject({
      operation: 'DELETE',
    });
    expect(problems({ payload: { price: 2 } }, { of: command({ operations: ['UPDATE'] }) })).toEqual([
      'targetRecordId',
    ]);
  });

  it.each([
    [['CREATE', 'UPDATE', 'DELETE'], { operationType: 'UPDATE or DELETE is needed for targetRecordId' }],
    [['CREATE', 'DELETE'], { operationType: 'DELETE is needed for targetRecordId' }],
    [['CREATE'], { targetRecordId: 'is not for this operation' }],
  ] as const)('of a command that does %j names what is missing beside a target', (operations, fieldErrors) => {
    const body = { payload: { name: 'A' }, targetRecordId: PID };
    const { data } = refusal(body, { of: command({ operations: [...operations] }) });
    expect(inEnglish(data)).toEqual({ fieldErrors });
  });

  it('must name an operation that the command has', () => {
    const changing = command({ operations: ['UPDATE', 'DELETE'] });
    expect(problems({ payload: { name: 'A' } }, { of: changing })).toEqual(['operationType']);
    expect(problems({ payload: { price: 2 }, targetRecordId: PID, expectedVersion: 1 }, { of: changing })).toEqual([
      'operationType',
    ]);
    expect(
      problems({ operationType: 'DELETE', targetRecordId: PID }, { of: command({ operations: ['UPDATE'] }) }),
    ).toEqual(['operationType']);
  });

  it('is for a dry run where HTTP asks for one, and nowhere else', () => {
    const body = { payload: { name: 'A' }, dryRun: true };

    expect(parseCommandRequest(command({}), WRITER, body, undefined, EXECUTE_BODY).operation).toBe('CREATE');
    expect(problems(body)).toEqual(['dryRun']);
  });

  it('is FORBIDDEN with a field that the caller may not write', () => {
    const permissions = { has: (code: string) => code !== 'field:write:thing.guarded' };

    expect(refusal({ payload: { name: 'A', guarded: 'B' } }, { permissions })).toEqual({
      code: 'FORBIDDEN',
      data: { permission: 'field:write:thing.guarded' },
    });
    expect(parse({ payload: { name: 'A' } }, { permissions: NOTHING }).payload).toEqual({ name: 'A' });
  });
});

describe('the idempotency key of a request', () => {
  const body = { payload: { name: 'A' } };

  it('is the header, else clientRequestId, else nothing', () => {
    expect(parse({ ...body, clientRequestId: 'body' }, { header: 'header' }).idempotencyKey).toBe('header');
    expect(parse({ ...body, clientRequestId: 'body' }).idempotencyKey).toBe('body');
    expect(parse({ ...body, clientRequestId: null }).idempotencyKey).toBeNull();
    expect(parse(body).idempotencyKey).toBeNull();
  });

  it.each([
    ['empty', ''],
    ['blank', '  '],
    ['too long', 'k'.repeat(201)],
    ['not storable', 'a\0b'],
    ['a number', 5],
  ])('is refused when it is %s', (_what, clientRequestId) => {
    expect(problems({ ...body, clientRequestId })).toEqual(['clientRequestId']);
  });

  it('is refused under its own name when the header is wrong', () => {
    expect(problems(body, { header: '' })).toEqual(['X-Idempotent-Key']);
  });
});

describe('the payload of a CUSTOM command', () => {
  it('comes with defaults, and each value in the one form that its field has', () => {
    const payload = { reason: 'why', price: 12.5, at: '2026-01-31T10:00:00+01:00', big: 7 };

    expect(parse({ payload }, { of: custom }).payload).toEqual({
      reason: 'why',
      price: '12.5',
      at: '2026-01-31T09:00:00.000Z',
      big: '7',
      data: null,
      kind: 'a',
    });
  });

  it('keeps JSON as it came', () => {
    const data = { a: [1, { b: null }], c: 'text' };

    expect(parse({ payload: { reason: 'why', data } }, { of: custom }).payload.data).toEqual(data);
    expect(parse({ payload: { reason: 'why', data: 'text' } }, { of: custom }).payload.data).toBe('text');
    expect(parse({ payload: { reason: 'why', data: false } }, { of: custom }).payload.data).toBe(false);
  });

  it('is checked field by field', () => {
    expect(problems({ payload: { price: 'much', kind: 'c', unknown: 1 } }, { of: custom }).sort()).toEqual([
      'kind',
      'price',
      'reason',
      'unknown',
    ]);
  });

  it('needs a target where the command works on a record, and takes none otherwise', () => {
    const payload = { reason: 'why' };

    expect(problems({ payload }, { of: { ...custom, target: true } })).toEqual(['targetRecordId']);
    expect(problems({ payload, targetRecordId: PID }, { of: custom })).toEqual(['targetRecordId']);
    expect(parse({ payload, targetRecordId: PID }, { of: { ...custom, target: true } }).targetRecordId).toBe(PID);
  });
});
