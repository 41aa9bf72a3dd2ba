import type { Condition, Operator } from '@keelson/client';
import type { Model, Page } from '../../app/application.ts';
import { filterFields, preferredOperator } from './filter-fields.ts';
import { valuesOf } from './operators.ts';

/** A condition while it is edited. */
export type Draft = ComparisonDraft | GroupDraft;

export interface ComparisonDraft {
  readonly id: number;
  readonly code: string;
  readonly operator: Operator;
  readonly values: readonly unknown[];
}

export interface GroupDraft {
  readonly id: number;
  /** All of the items hold, any of them, or none. */
  readonly join: 'and' | 'or' | 'not';
  readonly items: readonly Draft[];
}

let lastId = 0;

function nextId(): number {
  lastId += 1;
  return lastId;
}

export function newComparison(page: Page, model: Model): ComparisonDraft {
  const [field] = filterFields(page, model);
  return { id: nextId(), code: field?.code ?? '', operator: preferredOperator(page, field) ?? 'eq', values: [] };
}

export function newGroup(items: readonly Draft[], join: GroupDraft['join'] = 'or'): GroupDraft {
  return { id: nextId(), join, items };
}

/** The conditions of a list as one group. A single one of several is that group itself. */
export function draftOf(conditions: readonly Condition[]): GroupDraft {
  const [only, ...others] = conditions.map(toDraft);
  if (only && others.length === 0 && 'join' in only) return only;
  return newGroup(only ? [only, ...others] : [], 'and');
}

function toDraft(condition: Condition): Draft {
  if ('and' in condition) return newGroup(condition.and.map(toDraft), 'and');
  if ('or' in condition) return newGroup(condition.or.map(toDraft), 'or');
  if ('not' in condition) {
    const { not } = condition;
    return newGroup('or' in not ? not.or.map(toDraft) : [toDraft(not)], 'not');
  }
  const { fieldName: code, operator, value } = condition;
  const values = Array.isArray(value) ? (value as readonly unknown[]) : value === undefined ? [] : [value];
  return { id: nextId(), code, operator, values };
}

/** What is complete of a draft; null where nothing is. */
export function conditionOf(draft: Draft): Condition | null {
  if (!('join' in draft)) {
    const { code: fieldName, operator, values } = draft;
    const kind = valuesOf(operator);
    const given = values.filter((value) => value !== null && value !== undefined && value !== '');
    if (kind === 'none') return { fieldName, operator };
    if (given.length === 0 || (kind === 'two' && given.length < 2)) return null;
    return { fieldName, operator, value: kind === 'one' ? given[0] : given };
  }
  const items = draft.items.flatMap((item) => conditionOf(item) ?? []);
  const [first, ...others] = items;
  if (!first) return null;
  if (draft.join === 'not') return { not: others.length === 0 ? first : { or: items } };
  if (others.length === 0) return first;
  return draft.join === 'and' ? { and: items } : { or: items };
}

/** A list joins its conditions by AND. */
export function conditionsOf(draft: GroupDraft): Condition[] {
  const condition = conditionOf(draft);
  if (!condition) return [];
  return 'and' in condition ? [...condition.and] : [condition];
}
