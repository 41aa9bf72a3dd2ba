import { ulid } from 'ulid';
import type { ModelContent } from '../../src/platform/metadata/models/model-content.ts';
import type { Operation } from '../../src/features/commands/definition/command-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import type { ResourceDraft } from '../../src/platform/metadata/changes/resources.service.ts';
import { insertRecords } from '../../src/platform/records/seeding/insert-records.ts';
import { newCodeId } from './own-codes.ts';
import { container, type TestTenant } from './world.ts';

/**
 * A model of the test's own, published in `dev` with a page of the same code and one command for all writes.
 */
export interface TestModel {
  readonly code: string;
  /** Takes CREATE, UPDATE and DELETE. */
  readonly command: string;
  /** Everything a role needs to read and write it. */
  readonly permissions: string[];
}

/** Fields of the models that tests make. */
export const name: FieldContent = { code: 'name', name: 'Name', type: 'string' };
export const size: FieldContent = { code: 'size', name: 'Size', type: 'integer' };

/** A code that no other test has: of a model, a page or a field. */
export function newCode(): string {
  return `t_${newCodeId().toLowerCase()}`;
}

export async function newModel(content: Omit<ModelContent, 'name'>, environment = 'dev'): Promise<TestModel> {
  const code = newCode();
  const command = `test:write_${code}`;
  const operations: Operation[] = ['CREATE', 'UPDATE', 'DELETE'];
  await save(environment, modelDraft(code, content), pageDraft(code, code, content.fields.slice(0, 1)), {
    resourceType: 'COMMAND',
    code: command,
    content: { name: code, modelCode: code, operations },
  });
  return { code, command, permissions: [`record:read:${code}`, `command:execute:${command}`] };
}

/** Publishes the model's next version. @throws VALIDATION_ERROR */
export function changeModel({ code }: TestModel, content: Omit<ModelContent, 'name'>): Promise<number> {
  return save('dev', modelDraft(code, content));
}

export function modelDraft(code: string, content: Omit<ModelContent, 'name'>): ResourceDraft {
  return { resourceType: 'MODEL', code, content: { name: code, ...content } };
}

export function pageDraft(pageKey: string, modelCode: string, fields: readonly { code: string }[]): ResourceDraft {
  const columns = fields.map(({ code }) => code);
  return { resourceType: 'PAGE_SCHEMA', code: pageKey, content: { name: pageKey, modelCode, columns } };
}

export function roleDraft(code: string, codes: string[], name = code): ResourceDraft {
  return { resourceType: 'PERMISSION', code, content: { name, codes } };
}

/** A role with these permission codes, in `dev`. */
export async function newRole(codes: string[]): Promise<string> {
  const code = `T_${newCodeId()}`;
  await save('dev', roleDraft(code, codes));
  return code;
}

export async function save(environment: string, ...drafts: ResourceDraft[]): Promise<number> {
  return (await container()).resources.save(environment, drafts, null);
}

/** Puts records into a model's table in `dev`, past the commands, in the order given; gives their pids. */
export async function insert(
  tenant: TestTenant,
  modelCode: string,
  records: readonly Record<string, unknown>[],
): Promise<string[]> {
  const { database, snapshots } = await container();
  const model = (await snapshots.current('dev')).model(modelCode);
  const seeds = records.map((record) => ({ pid: ulid(), ...record }));
  await database.transaction((transaction) => insertRecords(transaction, model, tenant.id, 'a-test', seeds));
  return seeds.map(({ pid }) => pid);
}

/** A field of every type, named after what it holds. */
export const EVERY_TYPE: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string' },
  { code: 'note', name: 'Note', type: 'text' },
  { code: 'state', name: 'State', type: 'enum', values: ['open', 'won'] },
  { code: 'size', name: 'Size', type: 'integer' },
  { code: 'big', name: 'Big', type: 'bigint' },
  { code: 'price', name: 'Price', type: 'decimal' },
  { code: 'flag', name: 'Flag', type: 'boolean' },
  { code: 'day', name: 'Day', type: 'date' },
  { code: 'at', name: 'At', type: 'datetime' },
  { code: 'extra', name: 'Extra', type: 'json' },
  { code: 'parent', name: 'Parent', type: 'relation', target: 'lead' },
  { code: 'file', name: 'File', type: 'file' },
];

/** Records a, b and c with values, and n with nothing but its name. */
export const RECORDS_OF_EVERY_TYPE: Record<string, unknown>[] = [
  {
    name: 'a',
    note: 'Alpha 100%',
    state: 'open',
    size: 1,
    big: '9007199254740993',
    price: '1.10',
    flag: true,
    day: '2026-01-01',
    at: '2026-01-01T00:00:00Z',
    extra: { x: 1 },
  },
  {
    name: 'b',
    note: 'beta_x',
    state: 'won',
    size: 2,
    big: '2',
    price: '2.2',
    flag: false,
    day: '2026-02-01',
    at: '2026-02-01T12:00:00Z',
    parent: 'PARENT',
  },
  {
    name: 'c',
    note: 'alpha-beta\\',
    state: 'open',
    size: 3,
    big: '3',
    price: '10',
    flag: true,
    day: '2026-03-01',
    at: '2026-03-01T00:00:00Z',
    file: 'FILE',
  },
  { name: 'n' },
];
