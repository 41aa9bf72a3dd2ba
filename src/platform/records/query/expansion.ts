import { notFound, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { text } from '../../../foundation/i18n/text.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { Model } from '../../metadata/models/model.ts';
import { permissionCode } from '../../metadata/permissions/permission-codes.ts';
import { MAX_EXPANSIONS, MAX_RELATION_HOPS } from '../records.limits.ts';
import { isReadable } from '../field-selection.ts';
import { joinOf, type Join } from '../conditions/related-fields.ts';
import { relationOf } from '../conditions/relation-paths.ts';

/** One relation to read with the records of a model, and those to read with what it leads to. */
export interface Expansion {
  /**
   * `account` for the record in that field; `contact.account` for the contacts that name the record there;
   * the code of a relation for the records that others join to it.
   */
  readonly step: string;
  /** The model of the related records; null for people, who are none. */
  readonly model: Model | null;
  /** Code of the relation field: of the records for one, of the related records for many. */
  readonly field: string;
  readonly many: boolean;
  /** What joins the records, many to many: `field` is one of its fields then. */
  readonly join: Join | null;
  /** Whether it is answered; one that is not is only on the way to others. */
  isRequested: boolean;
  readonly next: Expansion[];
}

/**
 * The relations that `expand` names by their paths.
 * @param errors says at `expand` which path leads nowhere; one that the caller may not follow is none
 */
export function parseExpansions(
  paths: readonly string[],
  model: Model,
  actor: Actor,
  errors: FieldErrors,
): readonly Expansion[] {
  const roots: Expansion[] = [];
  if (paths.length > MAX_EXPANSIONS) errors.expand = text('takes at most {max} paths', { max: MAX_EXPANSIONS });
  for (const path of paths.slice(0, MAX_EXPANSIONS)) {
    const problem = addPath(path.split('.'), model, actor, roots, MAX_RELATION_HOPS);
    const values = { path: path.slice(0, 100), model: model.code };
    if (problem === 'nowhere') errors.expand = text('{path} is not a relation of {model}', values);
    if (problem === 'many') errors.expand = text('{path} leads to many records twice', { path: values.path });
  }
  return roots;
}

/**
 * The relation with this name: a field of the model, one of its relations, or `<model>.<field>` of the other
 * side. Null as for `relationOf`.
 */
export function relationNamed(name: string, model: Model, actor: Actor): Expansion | null {
  const codes = name.split('.');
  if (codes.length > 2) return null;
  if (codes.length === 2) return toMany(codes, model, actor);
  return toOne(codes, model, actor) ?? toJoined(codes, model, actor);
}

/** Code of the model whose records a relation with this name is kept in. */
export function keeperOf({ code, relations }: Model, name: string): string {
  const [first = '', field] = name.split('.');
  return field === undefined ? (relations.get(first)?.through ?? code) : first;
}

/** As `relationNamed`, to records. @throws NOT_FOUND */
export function findRelation(actor: Actor, modelCode: string, name: string) {
  const relation = relationNamed(name, actor.metadata.model(modelCode), actor);
  if (!relation?.model) throw notFound('There is no such relation');
  return { ...relation, model: relation.model };
}

/** @param hops left to the end of the path */
function addPath(
  codes: readonly string[],
  model: Model,
  actor: Actor,
  expansions: Expansion[],
  hops: number,
): 'nowhere' | 'many' | null {
  const found =
    hops === 0
      ? null
      : (toOne(codes, model, actor) ??
        toPerson(codes, model, actor) ??
        toJoined(codes, model, actor) ??
        toMany(codes, model, actor));
  if (!found) return 'nowhere';
  const known = expansions.find(({ step }) => step === found.step) ?? found;
  if (known === found) expansions.push(found);
  const rest = codes.slice(found.step.split('.').length);
  // What many records lead to is answered with each of them.
  known.isRequested ||= rest.length === 0 || known.many;
  if (rest.length === 0) return null;
  if (!known.model) return 'nowhere';
  const problem = addPath(rest, known.model, actor, known.next, hops - 1);
  return problem ?? (known.many && known.next.some(({ many }) => many) ? 'many' : null);
}

/** Of a relation without a join, which is on the way until it is asked for. */
const PLAIN = { join: null, isRequested: false };

function toJoined([code = '']: readonly string[], model: Model, actor: Actor): Expansion | null {
  const { join, target } = joinOf(model, code, actor) ?? {};
  if (!join || !target) return null;
  return { step: code, model: target, field: join.to, many: true, join, isRequested: false, next: [] };
}

function toOne([code = '']: readonly string[], model: Model, actor: Actor): Expansion | null {
  const relation = relationOf(model, code, actor);
  if (!relation) return null;
  return { step: code, model: relation.target, field: code, many: false, ...PLAIN, next: [] };
}

function toPerson([code = '', ...rest]: readonly string[], model: Model, { permissions }: Actor): Expansion | null {
  const field = model.fields.get(code);
  // Nothing stands behind a person, but another model may have the code of the field.
  if (rest.length > 0 || field?.type !== 'user' || !isReadable(field, permissions)) return null;
  return { step: code, model: null, field: code, many: false, ...PLAIN, next: [] };
}

function toMany([code = '', field = '']: readonly string[], model: Model, actor: Actor): Expansion | null {
  const { metadata, permissions } = actor;
  const other = metadata.models.get(code);
  const relation = other?.fields.get(field);
  if (!other || relation?.content?.target !== model.code || !isReadable(relation, permissions)) return null;
  if (!permissions.has(permissionCode.recordRead(code))) return null;
  return { step: `${code}.${field}`, model: other, field, many: true, ...PLAIN, next: [] };
}
