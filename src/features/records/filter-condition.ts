import { forbidden, type FieldErrors } from '../../foundation/errors/application-error.ts';
import type { FilterContent } from '../../platform/metadata/content/filter-content.ts';
import { FIELD_TYPES } from '../../platform/metadata/field-types/field-types.ts';
import { quoteIdentifier, type Field, type Model } from '../../platform/metadata/models/model.ts';
import type { Permissions } from '../../platform/metadata/permissions/permissions.ts';
import type { Parameters } from './parameters.ts';
import { text, type Message } from '../../foundation/i18n/text.ts';
import { MAX_CONDITIONS, MAX_FILTER_DEPTH, MAX_LIST_VALUES } from './records.limits.ts';

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
 * @param errors collects what is wrong, by field code (or `filters` for the array itself)
 * @throws FORBIDDEN with `data.permission` for a field the caller may not read
 */
export function compileFilters(
  conditions: unknown,
  model: Model,
  permissions: Permissions,
  parameters: Parameters,
  errors: FieldErrors,
): string[] {
  if (!Array.isArray(conditions)) {
    errors.filters = 'must be a JSON array of conditions';
    return [];
  }
  const compiler = new FilterCompiler(model, permissions, parameters, errors);
  return conditions.map((condition) => compiler.compile(condition, 1));
}

/**
 * A condition of a row rule or a data source: validated when it was saved, and not bound by the caller's
 * field permissions.
 */
export function compileTrustedFilters(
  conditions: readonly FilterContent[],
  model: Model,
  parameters: Parameters,
): string[] {
  const errors: FieldErrors = {};
  const sql = compileFilters(conditions, model, { has: () => true }, parameters, errors);
  const problem = Object.entries(errors)[0];
  if (problem) throw new Error(`a condition of ${model.code} is not valid: ${problem.join(' ')}`);
  return sql;
}

class FilterCompiler {
  readonly #model: Model;
  readonly #permissions: Permissions;
  readonly #parameters: Parameters;
  readonly #errors: FieldErrors;
  #count = 0;

  constructor(model: Model, permissions: Permissions, parameters: Parameters, errors: FieldErrors) {
    this.#model = model;
    this.#permissions = permissions;
    this.#parameters = parameters;
    this.#errors = errors;
  }

  compile(condition: unknown, depth: number): string {
    this.#count += 1;
    if (this.#count > MAX_CONDITIONS)
      return this.#fail('filters', text('must not hold more than {max} conditions', { max: MAX_CONDITIONS }));
    if (depth > MAX_FILTER_DEPTH)
      return this.#fail('filters', text('must not be nested deeper than {max} levels', { max: MAX_FILTER_DEPTH }));
    if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) {
      return this.#fail('filters', 'must hold objects with fieldName, operator and value');
    }
    const { and, or, not } = condition as Record<string, unknown>;
    const combined = and !== undefined || or !== undefined || not !== undefined;
    // A second key beside a combination would have to be ignored.
    if (combined && Object.keys(condition).length > 1) return this.#fail('filters', 'and, or and not stand alone');
    if (and !== undefined) return this.#combine(and, ' and ', depth);
    if (or !== undefined) return this.#combine(or, ' or ', depth);
    if (not !== undefined) return `((${this.compile(not, depth + 1)}) is not true)`;
    return this.#compare(condition as Record<string, unknown>);
  }

  #combine(parts: unknown, joint: string, depth: number): string {
    if (!Array.isArray(parts) || parts.length === 0) return this.#fail('filters', 'and/or take an array of conditions');
    return `(${parts.map((part) => this.compile(part, depth + 1)).join(joint)})`;
  }

  #compare(condition: Record<string, unknown>): string {
    const { fieldName, value } = condition;
    if (typeof fieldName !== 'string') return this.#fail('filters', 'every condition needs a fieldName');
    const field = this.#model.fields.get(fieldName);
    if (!field) return this.#fail(fieldName, text('is not a field of {model}', { model: this.#model.code }));
    if (field.readPermission && !this.#permissions.has(field.readPermission)) throw forbidden(field.readPermission);
    const named = condition.operator ?? condition.op ?? condition['the service'];
    if (typeof named !== 'string') return this.#fail(fieldName, 'its condition needs an operator');
    const operator = OPERATOR_ALIASES.get(named.toLowerCase()) ?? named.toLowerCase();
    const positive = NEGATIONS.get(operator);
    const sql = this.#positive(field, positive ?? operator, named, value);
    return positive ? `((${sql}) is not true)` : sql;
  }

  #positive(field: Field, operator: string, named: string, value: unknown): string {
    const column = `t.${quoteIdentifier(field.code)}`;
    if (operator === 'is_null' || (operator === 'eq' && value === null)) return `${column} is null`;
    if (!FIELD_TYPES[field.type].comparable) {
      return this.#fail(field.code, text('is {type}: only is_null and is_not_null apply', { type: field.type }));
    }
    if (operator === 'in') return this.#in(field, column, value);
    if (operator === 'between') return this.#between(field, column, value);
    if (TEXT_OPERATORS.has(operator)) return this.#text(field, column, operator, value);
    const comparison = COMPARISONS.get(operator);
    if (!comparison)
      return this.#fail(field.code, text('has the unknown operator {operator}', { operator: named.slice(0, 40) }));
    if (comparison !== '=' && !FIELD_TYPES[field.type].ordered) return this.#fail(field.code, 'has no order');
    return `${column} ${comparison} ${this.#value(field, value)}`;
  }

  #in(field: Field, column: string, value: unknown): string {
    if (!Array.isArray(value) || value.length > MAX_LIST_VALUES) {
      return this.#fail(
        field.code,
        text('in and not_in take an array of at most {max} values', { max: MAX_LIST_VALUES }),
      );
    }
    const values = value.map((item) => this.#check(field, item));
    return `${column} = any(${this.#parameters.add(values)}::${FIELD_TYPES[field.type].cast}[])`;
  }

  #between(field: Field, column: string, value: unknown): string {
    if (!Array.isArray(value) || value.length !== 2 || !FIELD_TYPES[field.type].ordered) {
      return this.#fail(field.code, 'between takes an array of two values with an order');
    }
    return `${column} between ${this.#value(field, value[0])} and ${this.#value(field, value[1])}`;
  }

  #text(field: Field, column: string, operator: string, value: unknown): string {
    if (!FIELD_TYPES[field.type].textual)
      return this.#fail(field.code, text('is {type}: {operator} needs a text', { type: field.type, operator }));
    const checked = this.#check(field, value);
    if (typeof checked !== 'string') return 'false';
    const pattern = patternOf(operator, checked);
    return `${column} ${operator === 'ilike' ? 'ilike' : 'like'} ${this.#parameters.add(pattern)}`;
  }

  #value(field: Field, value: unknown): string {
    return `${this.#parameters.add(this.#check(field, value))}::${FIELD_TYPES[field.type].cast}`;
  }

  #check(field: Field, value: unknown): unknown {
    const checked = FIELD_TYPES[field.type].check(value);
    if ('value' in checked) return checked.value;
    this.#fail(field.code, checked.problem);
    return null;
  }

  #fail(key: string, problem: Message): string {
    // Objects inherit `constructor`: under its own name such a problem would get lost.
    if (key in Object.prototype) this.#errors.filters ??= text('{place} {problem}', { place: key, problem });
    else this.#errors[key] ??= problem;
    return 'false';
  }
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
