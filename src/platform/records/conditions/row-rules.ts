import type { Actor } from '../../auth/requests/actor.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Comparison, FilterContent } from '../../metadata/content/filter-content.ts';
import type { ModelContent, RowRuleContent } from '../../metadata/models/model-content.ts';
import type { FieldContent } from '../../metadata/field-types/field-content.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import { ALL_PERMISSIONS } from '../../metadata/permissions/permissions.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import { compileFilters, compileTrustedFilters, trustedScope, type FilterScope } from './filter-condition.ts';
import { problemsByPlace } from './problems-by-place.ts';
import { dynamicValue, SAMPLE_CALLER, varies } from './dynamic-values.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { followPath, type PathReader, type Relation } from './relation-paths.ts';
import { MODEL } from '../../metadata/models/model-type.ts';
import type { ResourceType } from '../../metadata/resources/resource-type.ts';

/** Whom rules bind. */
export interface RuleSubject extends Pick<Actor, 'userPid' | 'tenantId' | 'timeZone' | 'roles' | 'permissions'> {
  /** The models among which rules follow relations. */
  readonly metadata: PathReader['metadata'];
}

/** The rules that bind a caller. */
export function bindingRules(model: Model, actor: Pick<RuleSubject, 'permissions'>): Model['rowRules'] {
  return model.rowRules.filter(({ unless }) => unless === undefined || !actor.permissions.has(unless));
}

/** Whether a rule finds the same of a record until it is written, for someone whose roles stay the same. */
export function isDecidedByRecord({ conditions }: RowRuleContent): boolean {
  return !followRelations(conditions) && conditions.flatMap(comparisonsOf).every(({ value }) => !varies(value));
}

/**
 * The conditions under which a caller sees (and may change) a model's records; none for callers whom no rule
 * binds.
 */
export function compileRowRules(model: Model, actor: RuleSubject, parameters: Parameters, alias = 't'): string[] {
  return compileRowChecks(model, actor, parameters, alias).map(({ sql }) => sql);
}

/** The field of the model with which a path begins. */
function ownFieldOf(fieldName: string): string {
  return fieldName.split('.')[0] ?? fieldName;
}

/** Whether conditions are about records of other models. */
export function followRelations(conditions: readonly FilterContent[]): boolean {
  return conditions.flatMap(comparisonsOf).some(({ fieldName }) => fieldName.includes('.'));
}

/**
 * The fields of a model and, by paths, those of the live records that it leads to. A rule binds by what is
 * there, whether or not the caller may see it.
 */
function ruleScope(model: Model, actor: RuleSubject, parameters: Parameters, alias?: string): FilterScope {
  const own = trustedScope(model, actor, alias);
  const reader = { ...actor, permissions: ALL_PERMISSIONS };
  return {
    ...own,
    find(name) {
      const { relations, field } = (name.includes('.') && followPath(model, name, reader)) || {};
      if (!relations || !field) return own.find(name);
      const last = `q${relations.length}`;
      return {
        field,
        sql: `${last}.${quoteIdentifier(field.code)}`,
        nullable: true,
        within: (condition) => leadingTo(relations, condition, alias ?? 't', parameters.add(actor.tenantId)),
      };
    },
  };
}

/** SQL: whether a record leads to one that a condition finds; each relation is a look-up by its index. */
function leadingTo(relations: readonly Relation[], condition: string, alias: string, tenant: string): string {
  return relations.reduceRight((inner, { field, target }, index) => {
    const [from, to] = [index === 0 ? alias : `q${index}`, `q${index + 1}`];
    const live = `${to}.tenant_id = ${tenant}::bigint and ${to}.deleted_at is null`;
    return `${from}.${quoteIdentifier(field.code)} in (select ${to}.pid from ${target.table} ${to} where ${live} and ${inner})`;
  }, condition);
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
  const scope = ruleScope(model, actor, parameters, alias);
  return rules.flatMap((rule) =>
    rule.conditions.map((condition) => {
      const sql = compileTrustedFilters([condition], scope, parameters).join(' and ');
      return { sql, rule, fields: comparisonsOf(condition).map(({ fieldName }) => ownFieldOf(fieldName)) };
    }),
  );
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
      fieldErrors[code] = text('is not what the row rule "{label}" asks for', { label: rule.name });
    }
  }
  const [first] = broken;
  const message = text('The row rule "{label}" would hide the record from you', { label: first?.rule.name ?? '' });
  const permission = first?.rule.unless;
  const data = { ...(permission !== undefined && { permission }), reason: 'ROW_RULE', fieldErrors };
  return new ApplicationError('FORBIDDEN', { message, data });
}

/** Problems of a model's row rules among all models, for the moment of saving: path -> problem. */
export function problemsOfRowRules(model: Model, models: ReadonlyMap<string, Model>): FieldErrors {
  const author = { ...SAMPLE_CALLER, permissions: ALL_PERMISSIONS, metadata: { models } };
  const problemOf = (conditions: readonly FilterContent[]): Message | null => {
    const errors: FieldErrors = {};
    const parameters = new Parameters();
    for (const { fieldName, value } of conditions.flatMap(comparisonsOf)) {
      const related = fieldName.includes('.') ? followPath(model, fieldName, author)?.field.content : null;
      const problem = related ? problemOfValues(value, related) : null;
      if (problem !== null) errors[fieldName] ??= problem;
    }
    compileFilters(conditions, ruleScope(model, author, parameters), parameters, errors);
    const [broken] = Object.entries(errors);
    return broken ? text('{field}: {problem}', { field: broken[0], problem: broken[1] }) : null;
  };
  return problemsOfEach(model.rowRules, problemOf);
}

/** Problems of the values of rules in a new version: path -> problem. */
export function problemsOfRuleValues({ rowRules = [], fields }: ModelContent): FieldErrors {
  const byCode = new Map(fields.map((field) => [field.code, field]));
  return problemsOfEach(rowRules, (conditions) => {
    for (const { fieldName, value } of conditions.flatMap(comparisonsOf)) {
      const problem = fieldName.includes('.') ? null : problemOfValues(value, byCode.get(fieldName));
      if (problem !== null) return problem;
    }
    return null;
  });
}

function problemsOfEach(
  rules: readonly Pick<RowRuleContent, 'conditions'>[],
  problemOf: (conditions: readonly FilterContent[]) => Message | null,
): FieldErrors {
  const all = rules.map(({ conditions }, index) =>
    problemsByPlace(conditions, `content.rowRules.${index}.conditions`, problemOf),
  );
  return Object.assign({}, ...all) as FieldErrors;
}

function problemOfValues(value: unknown, field: FieldContent | undefined): Message | null {
  for (const each of [value].flat()) {
    const problem = problemOfValue(each, field);
    if (problem !== null) return problem;
  }
  return null;
}

function problemOfValue(value: unknown, field: FieldContent | undefined): Message | null {
  if (typeof value !== 'string') return null;
  const dynamic = dynamicValue(value, field?.type ?? 'string', SAMPLE_CALLER, new Date());
  if (dynamic) return 'problem' in dynamic ? dynamic.problem : null;
  return field?.type === 'enum' ? (FIELD_TYPES.enum.checkOptions?.(field, value) ?? null) : null;
}

/** The comparisons in a condition. */
function comparisonsOf(condition: FilterContent): Comparison[] {
  if ('and' in condition) return condition.and.flatMap(comparisonsOf);
  if ('or' in condition) return condition.or.flatMap(comparisonsOf);
  return 'not' in condition ? comparisonsOf(condition.not) : [condition];
}

/** Models, whose row rules are conditions over their fields and those of the records that they lead to. */
export const MODEL_WITH_ROW_RULES: ResourceType<ModelContent, Model> = {
  ...MODEL,
  validate: (content) => ({ ...MODEL.validate?.(content), ...problemsOfRuleValues(content) }),
  check: async (resource, after) => ({
    ...(await MODEL.check?.(resource, after)),
    ...problemsOfRowRules(MODEL.keep(resource, after.environment), after.all(MODEL)),
  }),
};
