import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Comparison, FilterContent } from '../../../platform/metadata/content/filter-content.ts';
import type { ModelContent, RowRuleContent } from '../../../platform/metadata/models/model-content.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { compileFilters, compileTrustedFilters } from './filter-condition.ts';
import { ownFields, TRUSTED } from './filter-scope.ts';
import { Parameters } from './parameters.ts';

/** The rules that bind a caller. */
export function bindingRules(model: Model, actor: Actor): Model['rowRules'] {
  return model.rowRules.filter(({ unless }) => unless === undefined || !actor.permissions.has(unless));
}

/**
 * The conditions under which a caller sees (and may change) a model's records; none for callers whom no rule
 * binds.
 */
export function compileRowRules(model: Model, actor: Actor, parameters: Parameters, alias = 't'): string[] {
  return compileRowChecks(model, actor, parameters, alias).map(({ sql }) => sql);
}

/** One condition of a rule. Who reads joins them by AND; who writes has to say which one a record breaks. */
export interface RowCheck {
  readonly sql: string;
  readonly rule: RowRuleContent;
  /** The codes of the fields that the condition is about. */
  readonly fields: readonly string[];
}

/** As `compileRowRules`, for records that are written. */
export function compileRowChecks(model: Model, actor: Actor, parameters: Parameters, alias = 't'): RowCheck[] {
  return bindingRules(model, actor).flatMap((rule) => {
    // An earlier version may have saved it. Names are not unique, so such a rule shows nothing.
    if (namesUserName(rule.conditions)) return [{ sql: 'false', rule, fields: [] }];
    return forActor(rule.conditions, actor).map((condition) => {
      const sql = compileTrustedFilters([condition], model, parameters, alias).join(' and ');
      return { sql, rule, fields: comparisonsOf(condition).map(({ fieldName }) => fieldName) };
    });
  });
}

/**
 * The answer to a write of a record that the writer's rules would hide.
 * @param broken the conditions that the record does not meet
 */
export function hiddenFromWriter(model: Model, { permissions }: Actor, broken: readonly RowCheck[]): ApplicationError {
  const fieldErrors: FieldErrors = {};
  for (const { rule, fields } of broken) {
    for (const code of fields) {
      const permission = model.fields.get(code)?.readPermission ?? null;
      if (permission !== null && !permissions.has(permission)) continue;
      fieldErrors[code] = text('is not what the row rule "{rule}" asks for', { rule: rule.name });
    }
  }
  const [first] = broken;
  const message = text('The row rule "{rule}" would hide the record from you', { rule: first?.rule.name ?? '' });
  const permission = first?.rule.unless;
  const data = { ...(permission !== undefined && { permission }), reason: 'ROW_RULE', fieldErrors };
  return new ApplicationError('FORBIDDEN', { message, data });
}

/** Who rules are bound by: what their values may name. */
type Caller = Pick<Actor, 'userPid' | 'tenantId' | 'roles'>;

const SAMPLE_CALLER: Caller = { userPid: '0'.repeat(26), tenantId: '1', roles: ['ADMIN'] };

/** What a value of a rule may be, beside itself. */
const VARIABLES = new Map<string, (caller: Caller) => unknown>([
  ['$user.pid', ({ userPid }) => userPid],
  ['$user.tenantId', ({ tenantId }) => tenantId],
  ['$user.roles', ({ roles }) => [...roles]],
  ['$now', () => new Date().toISOString()],
  ['$today', () => new Date().toISOString().slice(0, 10)],
]);

/** Was once the caller's user name. */
const USER_NAME = '$user.username';

/** What is wrong with a model's row rules, for the moment of saving: path -> problem. */
export function problemsOfRowRules(model: Model): FieldErrors {
  const problems: FieldErrors = {};
  model.rowRules.forEach(({ conditions }, index) => {
    // Only a new version is refused for it: one that is saved already must not keep others from being saved.
    if (namesUserName(conditions)) return;
    const errors: FieldErrors = {};
    compileFilters(forActor(conditions, SAMPLE_CALLER), ownFields(model, TRUSTED), new Parameters(), errors);
    const [broken] = Object.entries(errors);
    if (!broken) return;
    const [field, problem] = broken;
    problems[`content.rowRules.${index}.conditions`] = text('{field}: {problem}', { field, problem });
  });
  return problems;
}

/** What is wrong with the values of rules in a new version: path -> problem. */
export function problemsOfRuleValues({ rowRules = [], fields }: ModelContent): FieldErrors {
  const enums = new Map(fields.flatMap(({ code, type, values = [] }) => (type === 'enum' ? [[code, values]] : [])));
  const problems: FieldErrors = {};
  rowRules.forEach(({ conditions }, index) => {
    for (const { fieldName, value } of conditions.flatMap(comparisonsOf)) {
      for (const each of [value].flat()) {
        const problem = problemOfValue(each, enums.get(fieldName));
        if (problem !== null) problems[`content.rowRules.${index}.conditions`] ??= problem;
      }
    }
  });
  return problems;
}

function problemOfValue(value: unknown, allowed: readonly string[] | undefined): Message | null {
  if (typeof value !== 'string' || VARIABLES.has(value)) return null;
  if (value === USER_NAME) return 'must not name $user.username, which is not unique: write $user.pid';
  if (/^\$[a-z]/i.test(value)) {
    return text('must not name {variable}: known are {known}', {
      variable: value,
      known: [...VARIABLES.keys()].join(', '),
    });
  }
  if (allowed === undefined || allowed.includes(value)) return null;
  return text('must be one of {values}', { values: allowed.join(', ') });
}

function namesUserName(conditions: readonly FilterContent[]): boolean {
  return conditions.flatMap(comparisonsOf).some(({ value }) => [value].flat().includes(USER_NAME));
}

/** The comparisons in a condition. */
function comparisonsOf(condition: FilterContent): Comparison[] {
  if ('and' in condition) return condition.and.flatMap(comparisonsOf);
  if ('or' in condition) return condition.or.flatMap(comparisonsOf);
  return 'not' in condition ? comparisonsOf(condition.not) : [condition];
}

/** Puts the caller and the time in the place of variables. */
function forActor(conditions: readonly FilterContent[], actor: Caller): FilterContent[] {
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.flatMap(replace);
    const variable = typeof value === 'string' ? VARIABLES.get(value) : undefined;
    return variable ? variable(actor) : value;
  };
  return conditions.map((condition) => {
    if ('and' in condition) return { and: forActor(condition.and, actor) };
    if ('or' in condition) return { or: forActor(condition.or, actor) };
    if ('not' in condition) return { not: forActor([condition.not], actor)[0] as FilterContent };
    return { ...condition, value: replace(condition.value) };
  });
}
