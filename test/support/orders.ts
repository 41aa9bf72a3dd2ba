import type { CommandContent } from '../../src/features/commands/definition/command-content.ts';
import type { RelationContent } from '../../src/features/commands/definition/relation-content.ts';
import type { FieldContent } from '../../src/platform/metadata/field-types/field-content.ts';
import { newCode, newModel, save, type TestModel } from './models.ts';

/** What an order has of its own. */
export const ORDER_FIELDS: FieldContent[] = [
  { code: 'name', name: 'Name', type: 'string', required: true },
  { code: 'no', name: 'No', type: 'string', unique: true },
];

/**
 * What a line has beside its order: an amount that must be there, an article number of its own, a state that
 * goes one way, and a cost that not everyone may read.
 */
export const LINE_FIELDS: FieldContent[] = [
  { code: 'amount', name: 'Amount', type: 'decimal', required: true, min: 0 },
  { code: 'no', name: 'No', type: 'string', unique: true },
  {
    code: 'state',
    name: 'State',
    type: 'enum',
    values: ['open', 'sent'],
    default: 'open',
    transitions: { open: ['sent'], sent: [] },
  },
  { code: 'cost', name: 'Cost', type: 'integer', readPermission: true },
  { code: 'data', name: 'Data', type: 'json' },
  { code: 'lead', name: 'Lead', type: 'relation', target: 'lead' },
];

/** The field of a line that names its order. */
export function orderField({ code: target }: TestModel, rest: Partial<FieldContent> = {}): FieldContent {
  return { code: 'order', name: 'Order', type: 'relation', target, ...rest };
}

export async function newOrders(): Promise<{ orders: TestModel; lines: TestModel; command: string }> {
  const orders = await newModel({ fields: ORDER_FIELDS });
  const lines = await newModel({ fields: [orderField(orders), ...LINE_FIELDS] });
  return { orders, lines, command: await newOrderCommand(orders, [linesRelation(lines)]) };
}

/** A command's relation to lines, which it may do anything with. */
export function linesRelation(lines: TestModel, rest: Partial<RelationContent> = {}): RelationContent {
  return {
    code: 'lines',
    modelCode: lines.code,
    field: 'order',
    operations: ['CREATE', 'UPDATE', 'UNLINK', 'DELETE'],
    ...rest,
  };
}

/** A command that creates and updates orders with related records. @throws VALIDATION_ERROR */
export async function newOrderCommand(
  orders: TestModel,
  relations: RelationContent[],
  content: Partial<CommandContent> = {},
): Promise<string> {
  const code = `test:${newCode()}`;
  const whole = { name: 'Save', modelCode: orders.code, operations: ['CREATE', 'UPDATE'], relations, ...content };
  await save('dev', { resourceType: 'COMMAND', code, content: whole });
  return code;
}
