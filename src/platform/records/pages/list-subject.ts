import type { Actor } from '../../auth/requests/actor.ts';
import type { Model } from '../../metadata/models/model.ts';
import type { View } from './view-content.ts';
import { PAGE_SCHEMA } from './page-type.ts';
import { isReadable } from '../field-selection.ts';
import type { SortField } from '../conditions/sort-order.ts';
import type { Page } from './page-content.ts';

/** What is listed, for whom, and through which page. */
export interface ListSubject {
  /** Null where it is none. */
  readonly pageKey: string | null;
  readonly model: Model;
  readonly actor: Actor;
  /** The view that the request names, once it has been found. */
  readonly view?: View | null;
  /** Whether the values of the conditions are data, in which `$me` is a text: an automation computes them. */
  readonly literal?: boolean;
}

/** The order of a page's lists, as far as the caller may read its fields: it would tell about the others. */
export function sortOfPage(subject: ListSubject): readonly SortField[] {
  return (pageOf(subject)?.sortFields ?? []).filter(({ fieldName }) => maySee(subject, fieldName));
}

/** The fields of a page's columns that the caller may read; null without a page. */
export function columnsOfPage(subject: ListSubject): string[] | null {
  const columns = pageOf(subject)?.columns.map(({ fieldName }) => fieldName);
  return columns?.filter((code) => maySee(subject, code)) ?? null;
}

/** What a list of the page asks for with the values of its request. */
export function conditionsOfPage(subject: ListSubject): Page['paramConditions'] {
  return pageOf(subject)?.paramConditions ?? [];
}

function pageOf({ pageKey, actor }: ListSubject): Page | undefined {
  return pageKey === null ? undefined : actor.metadata.find(PAGE_SCHEMA, pageKey);
}

function maySee({ model, actor }: ListSubject, fieldCode: string): boolean {
  const field = model.fields.get(fieldCode);
  return field !== undefined && isReadable(field, actor.permissions);
}
