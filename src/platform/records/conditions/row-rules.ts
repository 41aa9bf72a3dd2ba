import type { Actor } from '../../auth/requests/actor.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { ApplicationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Comparison, FilterContent } from '../../metadata/content/filter-content.ts';
import type { ModelContent, RowRuleContent } from '../../metadata/models/model-content.ts';
import type { FieldContent } from '../../metadata/field-types/field-content.ts';
import type { Model } from '../../metadata/models/model.ts';
import { compileFilters, compileTrustedFilters, trustedScope } from './filter-condition.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import { problemsByPlace } from './problems-by-place.ts';
import { dynamicValue, SAMPLE_CALLER } from './dynamic-values.ts';
import { Parameters } from '../../../foundation/database/parameters.ts';
import { MODEL } from '../../metadata/models/model-type.ts';
import type { ResourceType } from '../../metadata/resources/resource-type.ts';

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
  return rules.flatMap((rule) =>
    rule.conditions.map((condition) => {
      const sql = compileTrustedFilters([condition], scope, parameters).join(' and ');
      return { sql, rule, fields: comparisonsOf(condition).map(({ fieldName }) => fieldName) };
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

/** Problems of a model's row rules, for the moment of saving: path -> problem. */
export function problemsOfRowRules(model: Model): FieldErrors {
  const problemOf = (conditions: readonly FilterContent[]): Message | null => {
    const errors: FieldErrors = {};
    compileFilters(conditions, trustedScope(model, SAMPLE_CALLER), new Parameters(), errors);
    const [broken] = Object.entries(errors);
    return broken ? text('{field}: {problem}', { field: broken[0], problem: broken[1] }) : null;
  };
  return problemsOfEach(model.rowRules, problemOf);
}

/** Problems of the values of rules in a new version: path -> problem. */
export function problemsOfRuleValues({ rowRules = [], fields }: ModelContent): FieldErrors {
  const byCode = new Map(fields.map((field) => [field.code, field]));
  return problemsOfEach(rowRules, (conditions) => {
    const compared = conditions.flatMap(comparisonsOf);
    const problems = compared.flatMap(({ fieldName, value }) =>
      [value].flat().map((each) => problemOfValue(each, byCode.get(fieldName))),
    );
    return problems.find((problem) => problem !== null) ?? null;
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

/** Models, whose row rules are conditions over their own fields. */
export const MODEL_WITH_ROW_RULES: ResourceType<ModelContent, Model> = {
  ...MODEL,
  validate: (content) => ({ ...MODEL.validate?.(content), ...problemsOfRuleValues(content) }),
  check: async (resource, after) => ({
    ...(await MODEL.check?.(resource, after)),
    ...problemsOfRowRules(MODEL.keep(resource, after.environment)),
  }),
};
