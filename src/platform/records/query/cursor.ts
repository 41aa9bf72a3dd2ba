import { LRUCache } from 'lru-cache';
import {
  validationError,
  type ApplicationError,
  type FieldErrors,
} from '../../../foundation/errors/application-error.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import { SecretUnreadableError, type SecretBox } from '../../../foundation/secrets/secret-box.ts';
import { canonicalJson } from '../../../foundation/validation/canonical-json.ts';
import { BIGINT } from '../../metadata/field-types/bigint.ts';
import { FIELD_TYPES } from '../../metadata/field-types/field-types.ts';
import { KEPT_CURSORS, MAX_CURSOR_VALUES, MAX_KEPT_CURSOR_PLACE } from '../records.limits.ts';
import type { RecordQuery } from './record-query.ts';
import type { SortKey } from '../conditions/sort-order.ts';

/** Names of a request that a walk does not depend on. */
const BESIDE_WALK: ReadonlySet<string> = new Set(['pageNum', 'pageSize', 'count', 'fields', 'expand']);

/** Whether a walk is as it was asked for, in spite of what is wrong with the request. */
export function isWholeWalk(errors: FieldErrors): boolean {
  return Object.keys(errors).every((path) => BESIDE_WALK.has(path.split('.')[0] ?? ''));
}

/** The place of a record in an order: the values of the keys, or its `id`, by which they are found. */
export type CursorPlace = { readonly values: readonly unknown[] } | { readonly id: string };

/** Which walk a cursor belongs to: another page, filter or order has other ones. */
export function walkOf({ subject, conditions, keyword, sortFields, joinedTo }: RecordQuery): string {
  const { pageKey, model, actor } = subject;
  const { metadata, tenantId } = actor;
  const walk = [metadata.environment, tenantId, model.code, pageKey, conditions.given, keyword, sortFields];
  if (joinedTo) walk.push([joinedTo.join.model.code, joinedTo.join.from, joinedTo.join.to, joinedTo.pid]);
  return `cursor ${canonicalJson(walk)}`;
}

/**
 * The cursors behind records. They are sealed: they can neither be read nor made by others. The last ones are
 * kept, as the first page of a list is asked for again and again.
 */
export class Cursors {
  readonly #box: SecretBox;
  readonly #sealed = new LRUCache<string, string>({ max: KEPT_CURSORS });

  constructor(box: SecretBox) {
    this.#box = box;
  }

  seal(walk: string, values: readonly unknown[]): string {
    const text = JSON.stringify(values);
    // The last key is always the id.
    const place = text.length > MAX_CURSOR_VALUES ? JSON.stringify([values.at(-1)]) : text;
    const key = `${walk} ${place}`;
    if (key.length > MAX_KEPT_CURSOR_PLACE) return this.#box.seal(place, walk);
    let sealed = this.#sealed.get(key);
    if (sealed === undefined) this.#sealed.set(key, (sealed = this.#box.seal(place, walk)));
    return sealed;
  }

  /** @throws VALIDATION_ERROR at `cursor` for one of another walk, or of an order that is no more */
  open(walk: string, keys: readonly SortKey[], cursor: string): CursorPlace {
    if (/^\d+$/.test(cursor)) {
      const id = BIGINT.check(cursor);
      if ('problem' in id) throw wrongCursor('is not the id of a record');
      return { id: String(id.value) };
    }
    const values = openValues(this.#box, walk, cursor);
    if (values.length === 1 && keys.length > 1) return { id: String(values[0]) };
    // The configuration may have changed meanwhile.
    const fits = keys.length === values.length && keys.every((key, index) => isValueOf(key, values[index]));
    if (!fits) throw foreignCursor();
    return { values };
  }
}

function openValues(box: SecretBox, walk: string, cursor: string): readonly unknown[] {
  try {
    return JSON.parse(box.open(cursor, walk)) as readonly unknown[];
  } catch (error) {
    if (error instanceof SecretUnreadableError) throw foreignCursor();
    throw error;
  }
}

function isValueOf({ field, nullable }: SortKey, value: unknown): boolean {
  return value === null ? nullable : 'value' in FIELD_TYPES[field.type].check(value);
}

function foreignCursor(): ApplicationError {
  return wrongCursor('is not of this list: it was changed, or belongs to another page, filter or sort');
}

export function wrongCursor(problem: Message): ApplicationError {
  return validationError({ cursor: problem });
}
