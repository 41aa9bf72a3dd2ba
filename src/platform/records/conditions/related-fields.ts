import { validationError } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { FieldType } from '../../metadata/field-types/field-types.ts';
import { quoteIdentifier, type Model } from '../../metadata/models/model.ts';
import { permissionCode } from '../../metadata/permissions/permission-codes.ts';
import { MAX_JOINS } from '../records.limits.ts';
import type { Variables } from './dynamic-values.ts';
import { isReadable } from '../field-selection.ts';
import { ownFields, type FieldColumn, type FilterScope } from './filter-condition.ts';
import type { Parameters } from '../../../foundation/database/parameters.ts';
import { followPath, relationOf, type FieldPath, type Relation } from './relation-paths.ts';
import { compileRowRules, type RuleSubject } from './row-rules.ts';

/** How records of a model lead to those of another, many to many: by records of a third that name both. */
export interface Join {
  readonly model: Model;
  readonly from: string;
  readonly to: string;
}

/** The many-to-many relation with this code, and the model that it leads to. Null as for `relationOf`. */
export function joinOf(model: Model, code: string, actor: RuleSubject): { join: Join; target: Model } | null {
  const { through = '', from = '', to = '' } = model.relations.get(code) ?? {};
  const joining = actor.metadata.models.get(through);
  const near = joining?.fields.get(from);
  if (!joining || !near || !isReadable(near, actor.permissions)) return null;
  const far = relationOf(joining, to, actor);
  const isKnown = far && actor.permissions.has(permissionCode.recordRead(through));
  return isKnown ? { join: { model: joining, from, to }, target: far.target } : null;
}

/**
 * SQL: whether `t` is one of the records that a join leads to. `$1` is the tenant.
 * @param parent SQL of the pid that they are joined to
 * @param behind ties it to the tenant of the statement
 */
export function joinedTo(
  { model, from, to }: Join,
  actor: RuleSubject,
  parameters: Parameters,
  parent: string,
  behind: string,
): string {
  const live = ['j.tenant_id = $1::bigint', 'j.deleted_at is null', behind];
  const where = [...live, `j.${quoteIdentifier(from)} = ${parent}`, ...compileRowRules(model, actor, parameters, 'j')];
  return `t.pid in (select j.${quoteIdentifier(to)} from ${model.table} j where ${where.join(' and ')})`;
}

/** What follows the code of a user field in the path to the name of the person. */
export const USERNAME = 'username';

/** What a record shows at a path: a field of a related record, or the name of the person in a user field. */
export function shownAt(
  model: Model,
  path: string,
  reader: RuleSubject,
): (FieldPath & { readonly isPerson: boolean; readonly type: FieldType }) | null {
  const found = followPath(model, path, reader);
  if (found) return { ...found, isPerson: false, type: found.field.type };
  if (!path.endsWith(`.${USERNAME}`)) return null;
  const owner = followPath(model, path.slice(0, -USERNAME.length - 1), reader);
  return owner?.field.type === 'user' ? { ...owner, isPerson: true, type: 'string' } : null;
}

/** The model's own fields, and by paths such as `account.name` those of the records that they lead to. */
export class RelatedFields implements FilterScope {
  readonly model: Model;
  readonly #actor: RuleSubject;
  readonly #parameters: Parameters;
  readonly #own: FilterScope;
  readonly #aliases = new Map<string, string>();
  /** The joins that the columns need, to be put behind the table. `$1` is the tenant. */
  joins = '';

  readonly variables?: Variables | undefined;

  constructor(model: Model, actor: RuleSubject, parameters: Parameters, variables?: Variables) {
    this.model = model;
    this.variables = variables;
    this.#actor = actor;
    this.#parameters = parameters;
    this.#own = ownFields(model, actor.permissions);
  }

  /** @throws FORBIDDEN for a hidden field of the model; VALIDATION_ERROR for one relation too many */
  find(name: string): FieldColumn | null {
    if (!name.includes('.')) return this.#own.find(name);
    const { relations, field } = followPath(this.model, name, this.#actor) ?? {};
    if (!relations || !field) return null;
    let alias = 't';
    let path = '';
    for (const relation of relations) {
      path += `${relation.field.code}.`;
      alias = this.#aliasOf(path, alias, relation, name);
    }
    return { field, sql: `${alias}.${quoteIdentifier(field.code)}`, nullable: true };
  }

  /**
   * SQL of what a record shows at a path; null as for `shownAt`. It is looked up for the records of a page
   * alone, where a join would be made before they are sorted.
   */
  shown(path: string): string | null {
    const { relations, field, isPerson } = shownAt(this.model, path, this.#actor) ?? {};
    if (!relations || !field) return null;
    const column = `${relations.length === 0 ? 't' : `s${relations.length}`}.${quoteIdentifier(field.code)}`;
    const value = isPerson
      ? `(select p.username from platform.people_of_tenant($1::bigint, array[${column}::text]) p)`
      : column;
    if (relations.length === 0) return value;
    const tables = relations.map(({ target }, index) => `${target.table} s${index + 1}`);
    const where = relations.flatMap(({ field: { code }, target }, index) => {
      const from = index === 0 ? 't' : `s${index}`;
      return this.#related(target, `s${index + 1}`, `${from}.${quoteIdentifier(code)}`);
    });
    return `(select ${value} from ${tables.join(', ')} where ${where.join(' and ')})`;
  }

  /** Alias of the records at the end of a path of relations. One that the caller may not see is none. */
  #aliasOf(path: string, from: string, { field, target }: Relation, name: string): string {
    const known = this.#aliases.get(path);
    if (known) return known;
    if (this.#aliases.size === MAX_JOINS) {
      throw validationError({ [name]: text('needs one relation too many: a query follows {max}', { max: MAX_JOINS }) });
    }
    const alias = `r${this.#aliases.size + 1}`;
    this.#aliases.set(path, alias);
    const on = this.#related(target, alias, `${from}.${quoteIdentifier(field.code)}`);
    this.joins += ` left join ${target.table} ${alias} on ${on.join(' and ')}`;
    return alias;
  }
  /** The conditions under which a record of a model is the one with this pid, and the caller may see it. */
  #related(target: Model, alias: string, pid: string): string[] {
    const rules = compileRowRules(target, this.#actor, this.#parameters, alias);
    return [`${alias}.pid = ${pid}`, `${alias}.tenant_id = $1::bigint`, `${alias}.deleted_at is null`, ...rules];
  }
}
