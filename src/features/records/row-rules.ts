import type { Actor } from '../../platform/auth/requests/actor.ts';
import { text } from '../../foundation/i18n/text.ts';
import { ApplicationError, type FieldErrors } from '../../foundation/errors/application-error.ts';
import type { FilterContent } from '../../platform/metadata/content/filter-content.ts';
import type { RowRuleContent } from '../../platform/metadata/models/model-content.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import { compileFilters, compileTrustedFilters } from './filter-condition.ts';
import { Parameters } from './parameters.ts';

/** The rules that bind a caller. */
export function bindingRules(model: Model, actor: Actor): Model['rowRules'] {
  return model.rowRules.filter(({ unless }) => unless === undefined || !actor.permissions.has(unless));
}

/** The conditions under which a caller sees (and may change) a model's records; none for callers whom no rule binds. */
export function compileRowRules(model: Model, actor: Actor, parameters: Parameters): string[] {
  return compileRowChecks(model, actor, parameters).map(({ sql }) => sql);
}

/** One condition of a rule. Who reads joins them by AND; who writes has to say which one a record breaks. */
export interface RowCheck {
  readonly sql: string;
  readonly rule: RowRuleContent;
  /** The codes of the fields that the condition is about. */
  readonly fields: readonly string[];
}

/** As `compileRowRules`, for records that are written. */
export function compileRowChecks(model: Model, actor: Actor, parameters: Parameters): RowCheck[] {
  return bindingRules(model, actor).flatMap((rule) => {
    // An earlier version may have saved it. Names are not unique, so such a rule shows nothing.
    if (namesUserName(rule.conditions)) return [{ sql: 'false', rule, fields: [] }];
    return forActor(rule.conditions, actor).map((condition) => {
      const sql = compileTrustedFilters([condition], model, parameters).join(' and ');
      return { sql, rule, fields: fieldsOf(condition) };
    });
  });
}

function fieldsOf(condition: FilterContent): string[] {
  if ('and' in condition) return condition.and.flatMap(fieldsOf);
  if ('or' in condition) return condition.or.flatMap(fieldsOf);
  return 'not' in condition ? fieldsOf(condition.not) : [condition.fieldName];
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
type Caller = Pick<Actor, 'userPid'>;

const SAMPLE_CALLER: Caller = { userPid: '0'.repeat(26) };

/** Was once the caller's user name. */
const USER_NAME = '$user.username';

/** What is wrong with a model's row rules, for the moment of saving: path -> problem. */
export function problemsOfRowRules(model: Model): FieldErrors {
  const problems: FieldErrors = {};
  model.rowRules.forEach(({ conditions }, index) => {
    // Only a new version is refused for it: one that is saved already must not keep others from being saved.
    if (namesUserName(conditions)) return;
    const errors: FieldErrors = {};
    compileFilters(forActor(conditions, SAMPLE_CALLER), model, { has: () => true }, new Parameters(), errors);
    const [broken] = Object.entries(errors);
    if (!broken) return;
    const [field, problem] = broken;
    problems[`content.rowRules.${index}.conditions`] = text('{field}: {problem}', { field, problem });
  });
  return problems;
}

/** The rules that name the caller by user name: path -> problem. */
export function problemsOfUserNames(rules: readonly RowRuleContent[]): FieldErrors {
  const named = [...rules.entries()].filter(([, { conditions }]) => namesUserName(conditions));
  const problem = 'must not name $user.username, which is not unique: write $user.pid';
  return Object.fromEntries(named.map(([index]) => [`content.rowRules.${index}.conditions`, problem]));
}

function namesUserName(conditions: readonly FilterContent[]): boolean {
  return conditions.some((condition) => {
    if ('and' in condition) return namesUserName(condition.and);
    if ('or' in condition) return namesUserName(condition.or);
    if ('not' in condition) return namesUserName([condition.not]);
    return [condition.value].flat().includes(USER_NAME);
  });
}

/** Puts the caller in the place of `$user.pid`. */
function forActor(conditions: readonly FilterContent[], actor: Caller): FilterContent[] {
  const names = new Map([['$user.pid', actor.userPid]]);
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    return typeof value === 'string' ? (names.get(value) ?? value) : value;
  };
  return conditions.map((condition) => {
    if ('and' in condition) return { and: forActor(condition.and, actor) };
    if ('or' in condition) return { or: forActor(condition.or, actor) };
    if ('not' in condition) return { not: forActor([condition.not], actor)[0] as FilterContent };
    return { ...condition, value: replace(condition.value) };
  });
}
