import type { Actor } from '../../../platform/auth/requests/actor.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Comparison, FilterContent } from '../../../platform/metadata/content/filter-content.ts';
import type { ModelContent, RowRuleContent } from '../../../platform/metadata/models/model-content.ts';
import type { FieldContent } from '../../../platform/metadata/field-types/field-content.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { compileFilters, compileTrustedFilters } from './conditions/filter-condition.ts';
import { dynamicValue, SAMPLE_CALLER } from './conditions/dynamic-values.ts';
import { trustedScope } from './conditions/filter-scope.ts';
import { Parameters } from './parameters.ts';

/** Whom rules bind. */
export type RuleSubject = Pick<Actor, 'userPid' | 'tenantId' | 'roles' | 'permissions'>;

/** The rules that bind a caller. */
export function bindingRules(model: Model, actor: RuleSubject): Model['rowRules'] {
  return model.rowRules.filter(({ unless }) => unless === undefined || !actor.permissions.has(unless));
}

/**
 * The conditions under which a caller sees (and may change) a model's records; none for callers whom no rule
 * binds.
 */
export function compileRowRules(model: Model, actor: RuleSubject, parameters: Parameters, alias = 't'): string[] {
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
export function compileRowChecks(model: Model, actor: RuleSubject, parameters: Parameters, alias = 't'): RowCheck[] {
  const rules = bindingRules(model, actor);
  if (rules.length === 0) return [];
  const scope = trustedScope(model, actor, alias);
  return rules.flatMap((rule) => {
    // An earlier version may have saved it. Names are not unique, so such a rule shows nothing.
    if (namesUserName(rule.conditions)) return [{ sql: 'false', rule, fields: [] }];
    return rule.conditions.map((condition) => {
      const sql = compileTrustedFilters([condition], scope, parameters).join(' and ');
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

/** Was once the caller's user name. */
const USER_NAME = '$user.username';

/** Problems of a model's row rules, for the moment of saving: path -> problem. */
export function problemsOfRowRules(model: Model): FieldErrors {
  const problems: FieldErrors = {};
  model.rowRules.forEach(({ conditions }, index) => {
    // Only a new version is refused for it: one that is saved already must not keep others from being saved.
    if (namesUserName(conditions)) return;
    const errors: FieldErrors = {};
    compileFilters(conditions, trustedScope(model, SAMPLE_CALLER), new Parameters(), errors);
    const [broken] = Object.entries(errors);
    if (!broken) return;
    const [field, problem] = broken;
    problems[`content.rowRules.${index}.conditions`] = text('{field}: {problem}', { field, problem });
  });
  return problems;
}

/** Problems of the values of rules in a new version: path -> problem. */
export function problemsOfRuleValues({ rowRules = [], fields }: ModelContent): FieldErrors {
  const byCode = new Map(fields.map((field) => [field.code, field]));
  const problems: FieldErrors = {};
  rowRules.forEach(({ conditions }, index) => {
    for (const { fieldName, value } of conditions.flatMap(comparisonsOf)) {
      for (const each of [value].flat()) {
        const problem = problemOfValue(each, byCode.get(fieldName));
        if (problem !== null) problems[`content.rowRules.${index}.conditions`] ??= problem;
      }
    }
  });
  return problems;
}

function problemOfValue(value: unknown, field: FieldContent | undefined): Message | null {
  if (typeof value !== 'string') return null;
  if (value === USER_NAME) return 'must not name $user.username, which is not unique: write $user.pid';
  const dynamic = dynamicValue(value, field?.type ?? 'string', SAMPLE_CALLER, new Date());
  if (dynamic) return 'problem' in dynamic ? dynamic.problem : null;
  const { type, values = [] } = field ?? {};
  if (type !== 'enum' || values.includes(value)) return null;
  return text('must be one of {values}', { values: values.join(', ') });
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
