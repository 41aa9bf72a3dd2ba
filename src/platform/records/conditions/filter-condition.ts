import { type FieldErrors, forbidden } from '../../../foundation/errors/application-error.ts';
import type { FilterContent } from '../../metadata/content/filter-content.ts';
import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { FIELD_TYPES, type FieldType } from '../../metadata/field-types/field-types.ts';
import { EmailOfCaller, Variables, type DynamicCaller } from './dynamic-values.ts';
import type { Parameters } from '../../../foundation/database/parameters.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { MAX_CONDITIONS, MAX_FILTER_DEPTH, MAX_LIST_VALUES } from '../records.limits.ts';
import { unknownField } from './unknown-field.ts';
import { quoteIdentifier, type Field, type Model } from '../../metadata/models/model.ts';
import { ALL_PERMISSIONS, type Permissions } from '../../metadata/permissions/permissions.ts';

/** A field as a statement names it. */
export interface FieldColumn {
  readonly field: Field;
  readonly sql: string;
  /** Whether a record may have no value there. */
  readonly nullable: boolean;
  /** Of a field of related records: SQL for the records that lead to one which a condition finds. */
  readonly within?: (condition: string) => string;
}

/** What conditions and orders may name. */
export interface FilterScope {
  readonly model: Model;
  /**
   * Null: there is no such field.
   * @throws FORBIDDEN with `data.permission` for a field the caller may not read
   */
  find(name: string): FieldColumn | null;
  /** What the values of conditions may stand for; without it they all stand for themselves. */
  readonly variables?: Variables | undefined;
  /** Whether people ask, and not data: so a value that no record has is a mistake. */
  readonly isAsked?: boolean;
}

/** The model's own fields. */
export function ownFields(model: Model, permissions: Permissions, alias = 't'): FilterScope {
  return {
    model,
    find(name) {
      const field = model.fields.get(name);
      if (!field) return null;
      if (field.readPermission && !permissions.has(field.readPermission)) throw forbidden(field.readPermission);
      return columnOf(field, alias);
    },
  };
}

/**
 * All fields, without permission checks, and the variables: for conditions of the configuration, which
 * were checked when they were saved.
 */
export function trustedScope(model: Model, caller: DynamicCaller, alias?: string): FilterScope {
  return { ...ownFields(model, ALL_PERMISSIONS, alias), variables: new Variables(caller, { lenient: true }) };
}

function columnOf(field: Field, alias: string): FieldColumn {
  const nullable = field.content !== null && !field.content.required;
  return { field, sql: `${alias}.${quoteIdentifier(field.code)}`, nullable };
}

/** Both dialects of the spec, compared without regard to case. */
const OPERATOR_ALIASES = new Map([
  ['ge', 'gte'],
  ['le', 'lte'],
]);

const COMPARISONS = new Map([
  ['eq', '='],
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
]);

/**
 * Each negative operator is the exact complement of its positive one: it also finds records without a value.
 */
const NEGATIONS = new Map([
  ['ne', 'eq'],
  ['not_in', 'in'],
  ['not_like', 'like'],
  ['not_between', 'between'],
  ['is_not_null', 'is_null'],
]);

const TEXT_OPERATORS = new Set(['like', 'ilike', 'contains', 'starts_with', 'ends_with']);

/**
 * Compiles conditions (joined by AND) into SQL whose values are all parameters.
 * Spec: "Filter condition"; the element's operator key is `operator`, `op`, or the spec's literal `the
 * service`.
 * @param errors collects what is wrong, by field code (or `name` for the array itself)
 * @param name of the array in the request
 * @throws FORBIDDEN with `data.permission` for a field the caller may not read
 */
export function compileFilters(
  conditions: unknown,
  scope: FilterScope,
  parameters: Parameters,
  errors: FieldErrors,
  name = 'filters',
): string[] {
  if (!Array.isArray(conditions)) {
    errors[name] = 'must be a JSON array of conditions';
    return [];
  }
  const compiler = new FilterCompiler(scope, parameters, errors, name);
  return compiler.compileAll(conditions, 1, name);
}

/**
 * A condition of a row rule or a data source: validated when it was saved, and not bound by the caller's
 * field permissions.
 */
export function compileTrustedFilters(
  conditions: readonly FilterContent[],
  scope: FilterScope,
  parameters: Parameters,
): string[] {
  const errors: FieldErrors = {};
  const sql = compileFilters(conditions, scope, parameters, errors);
  const problem = Object.entries(errors)[0];
  if (problem) throw new Error(`a condition of ${scope.model.code} is not valid: ${problem.join(' ')}`);
  return sql;
}

/** The field of a comparison, with the name by which the request knows it. */
interface Operand extends FieldColumn {
  readonly name: string;
}

/**
 * Conditions of a view or a page among those of a request. A value that their field has lost since they were
 * saved finds nothing.
 */
export class SavedConditions {
  readonly and: readonly FilterContent[];

  constructor(and: readonly FilterContent[]) {
    this.and = and;
  }
}

class FilterCompiler {
  readonly #scope: FilterScope;
  readonly #parameters: Parameters;
  readonly #errors: FieldErrors;
  readonly #name: string;
  #count = 0;
  #areSaved = false;

  constructor(scope: FilterScope, parameters: Parameters, errors: FieldErrors, name: string) {
    this.#scope = scope;
    this.#parameters = parameters;
    this.#errors = errors;
    this.#name = name;
  }

  /** @param path of the conditions in the request, such as `filters` */
  compileAll(conditions: readonly unknown[], depth: number, path: string): string[] {
    if (this.#count + conditions.length > MAX_CONDITIONS) return [this.#refuseTooMany()];
    return conditions.map((condition, index) => this.#compile(condition, depth, `${path}.${index}`));
  }

  #compile(condition: unknown, depth: number, path: string): string {
    this.#count += 1;
    if (this.#count > MAX_CONDITIONS) return this.#refuseTooMany();
    if (depth > MAX_FILTER_DEPTH)
      return this.#fail(this.#name, text('must not be nested deeper than {max} levels', { max: MAX_FILTER_DEPTH }));
    if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) {
      return this.#fail(this.#name, 'must hold objects with fieldName, operator and value');
    }
    this.#areSaved ||= condition instanceof SavedConditions;
    const { and, or, not } = condition as Record<string, unknown>;
    const combined = and !== undefined || or !== undefined || not !== undefined;
    // A second key beside a combination would have to be ignored.
    if (combined && Object.keys(condition).length > 1) return this.#fail(this.#name, 'and, or and not stand alone');
    if (and !== undefined) return this.#combine(and, ' and ', depth, `${path}.and`);
    if (or !== undefined) return this.#combine(or, ' or ', depth, `${path}.or`);
    if (not !== undefined) return `((${this.#compile(not, depth + 1, `${path}.not`)}) is not true)`;
    return this.#compare(condition as Record<string, unknown>, path);
  }

  #refuseTooMany(): string {
    return this.#fail(this.#name, text('must not hold more than {max} conditions', { max: MAX_CONDITIONS }));
  }

  #combine(parts: unknown, joint: string, depth: number, path: string): string {
    if (!Array.isArray(parts) || parts.length === 0)
      return this.#fail(this.#name, 'and/or take an array of conditions');
    return `(${this.compileAll(parts, depth + 1, path).join(joint)})`;
  }

  #compare(condition: Record<string, unknown>, path: string): string {
    const { fieldName, value } = condition;
    if (typeof fieldName !== 'string') return this.#fail(this.#name, 'every condition needs a fieldName');
    const column = this.#scope.find(fieldName);
    if (!column) return this.#fail(fieldName, unknownField(this.#scope.model, fieldName));
    const named = condition.operator ?? condition.op ?? condition['the service'];
    if (typeof named !== 'string') return this.#fail(fieldName, 'its condition needs an operator');
    const operator = operatorNamed(named);
    const positive = NEGATIONS.get(operator);
    const operand = { ...column, name: fieldName };
    const resolved = this.#resolve(operand, positive ?? operator, value, path);
    const sql = this.#positive(operand, positive ?? operator, named, resolved);
    return positive ? `((${sql}) is not true)` : sql;
  }

  /** A value with what its variables stand for. One may stand for several values in a list. */
  #resolve({ name, field }: Operand, operator: string, value: unknown, path: string): unknown {
    const { variables } = this.#scope;
    if (!variables) return value;
    const resolve = (one: unknown): unknown => {
      const found = variables.valueOf(one, field.type);
      if (found === null) return one;
      if ('value' in found) return found.value;
      // Text operators take any text.
      if (variables.lenient || TEXT_OPERATORS.has(operator)) return one;
      this.#fail(name, text('{place} {problem}', { place: `${path}.value`, problem: found.problem }));
      return one;
    };
    return Array.isArray(value) ? value.flatMap(resolve) : resolve(value);
  }

  #positive(operand: Operand, operator: string, named: string, value: unknown): string {
    const { sql, within } = operand;
    const asksForNone = operator === 'is_null' || (operator === 'eq' && value === null);
    if (!within) return asksForNone ? `${sql} is null` : this.#comparison(operand, operator, named, value);
    // A record that leads to no other has no value there, either.
    if (asksForNone) return `((${within(`${sql} is not null`)}) is not true)`;
    return within(this.#comparison(operand, operator, named, value));
  }

  #comparison(operand: Operand, operator: string, named: string, value: unknown): string {
    const { name, field, sql } = operand;
    if (!FIELD_TYPES[field.type].comparable) {
      return this.#fail(name, text('is {type}: only is_null and is_not_null apply', { type: field.type }));
    }
    if (operator === 'in') return this.#in(operand, value);
    if (operator === 'between') return this.#between(operand, value);
    if (TEXT_OPERATORS.has(operator)) return this.#text(operand, operator, value);
    const comparison = COMPARISONS.get(operator);
    if (!comparison) {
      const problem = text('has the unknown operator {operator}', { operator: named.slice(0, 40) });
      return this.#fail(name, withSuggestion(problem, named, operatorsOf(field.type)));
    }
    if (comparison !== '=' && !FIELD_TYPES[field.type].ordered) return this.#fail(name, 'has no order');
    if (comparison === '=') this.#checkListed(operand, value);
    return `${sql} ${comparison} ${this.#value(operand, value)}`;
  }

  #in(operand: Operand, value: unknown): string {
    const { name, field, sql } = operand;
    if (!Array.isArray(value) || value.length > MAX_LIST_VALUES) {
      return this.#fail(name, text('in and not_in take an array of at most {max} values', { max: MAX_LIST_VALUES }));
    }
    for (const item of value) this.#checkListed(operand, item);
    const values = value.map((item) => this.#check(operand, item));
    return `${sql} = any(${this.#parameters.add(values)}::${FIELD_TYPES[field.type].cast}[])`;
  }

  #between(operand: Operand, value: unknown): string {
    const { name, field, sql } = operand;
    if (!Array.isArray(value) || value.length !== 2 || !FIELD_TYPES[field.type].ordered) {
      return this.#fail(name, 'between takes an array of two values with an order');
    }
    return `${sql} between ${this.#value(operand, value[0])} and ${this.#value(operand, value[1])}`;
  }

  #text(operand: Operand, operator: string, value: unknown): string {
    const { name, field, sql } = operand;
    if (!FIELD_TYPES[field.type].textual)
      return this.#fail(name, text('is {type}: {operator} needs a text', { type: field.type, operator }));
    const checked = this.#check(operand, value);
    if (typeof checked !== 'string') return 'false';
    const pattern = patternOf(operator, checked);
    return `${sql} ${operator === 'ilike' ? 'ilike' : 'like'} ${this.#parameters.add(pattern)}`;
  }

  #value(operand: Operand, value: unknown): string {
    if (value instanceof EmailOfCaller && FIELD_TYPES[operand.field.type].textual) {
      return value.sql((parameter) => this.#parameters.add(parameter));
    }
    return `${this.#parameters.add(this.#check(operand, value))}::${FIELD_TYPES[operand.field.type].cast}`;
  }

  #check({ name, field }: Operand, value: unknown): unknown {
    const checked = FIELD_TYPES[field.type].check(value);
    if ('value' in checked) return checked.value;
    this.#fail(name, checked.problem);
    return null;
  }

  /** A request that asks for a value that the field cannot have is refused: no record could match. */
  #checkListed({ name, field }: Operand, value: unknown): void {
    const { variables, isAsked = variables?.lenient === false } = this.#scope;
    if (this.#areSaved || !isAsked || field.type !== 'enum' || !field.content) return;
    const problem = typeof value === 'string' ? FIELD_TYPES.enum.checkOptions?.(field.content, value) : null;
    if (problem) this.#fail(name, problem);
  }

  #fail(key: string, problem: Message): string {
    // Objects inherit `constructor`: under its own name such a problem would get lost.
    if (key in Object.prototype) this.#errors[this.#name] ??= text('{place} {problem}', { place: key, problem });
    else this.#errors[key] ??= problem;
    return 'false';
  }
}

/** The operator that is meant, in either dialect. */
export function operatorNamed(name: string): string {
  return OPERATOR_ALIASES.get(name.toLowerCase()) ?? name.toLowerCase();
}

function patternOf(operator: string, text: string): string {
  if (operator === 'starts_with') return `${escapeLike(text)}%`;
  if (operator === 'ends_with') return `%${escapeLike(text)}`;
  // like and ilike without a wildcard mean contains.
  if (operator === 'contains' || !text.includes('%')) return `%${escapeLike(text)}%`;
  // A backslash that escapes nothing stands for itself: Postgres fails on one at the end of a pattern.
  return text.replace(/\\[\\%_]?/g, (escape) => (escape.length === 1 ? '\\\\' : escape));
}

/** The text itself as a LIKE pattern: none of its characters is a wildcard. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

const EQUALITY = ['eq', 'ne', 'in', 'not_in'] as const;
const ORDER = ['gt', 'gte', 'lt', 'lte', 'between', 'not_between'] as const;
const TEXT = ['like', 'not_like', 'ilike', 'contains', 'starts_with', 'ends_with'] as const;
const PRESENCE = ['is_null', 'is_not_null'] as const;

/** All filter operators. Spec: "Filter condition", and our own. */
export const OPERATORS = [...EQUALITY, ...ORDER, ...TEXT, ...PRESENCE];
export type Operator = (typeof OPERATORS)[number];

/** The filter operators of a field type. */
export function operatorsOf(type: FieldType): Operator[] {
  const { comparable, ordered, textual } = FIELD_TYPES[type];
  return [
    ...(comparable ? EQUALITY : []),
    ...(comparable && ordered ? ORDER : []),
    ...(comparable && textual ? TEXT : []),
    ...PRESENCE,
  ];
}
