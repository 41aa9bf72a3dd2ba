import type { Actor } from '../../platform/auth/requests/actor.ts';
import type { Model } from '../../platform/metadata/models/model.ts';
import { PAGE_SCHEMA } from './page-type.ts';
import { isReadable } from './query/field-selection.ts';
import type { SortField } from './query/sort-order.ts';
import type { Page } from './pages/page-content.ts';

/** What is read, by whom, and through which page; null where it is none. */
interface Subject {
  readonly pageKey: string | null;
  readonly model: Model;
  readonly actor: Actor;
}

/** The order of a page's lists, as far as the caller may read its fields: it would tell about the others. */
export function sortOfPage(subject: Subject): readonly SortField[] {
  return (pageOf(subject)?.sortFields ?? []).filter(({ fieldName }) => maySee(subject, fieldName));
}

/** The fields of a page's columns that the caller may read; null without a page. */
export function columnsOfPage(subject: Subject): string[] | null {
  const columns = pageOf(subject)?.columns.map(({ fieldName }) => fieldName);
  return columns?.filter((code) => maySee(subject, code)) ?? null;
}

function pageOf({ pageKey, actor }: Subject): Page | undefined {
  return pageKey === null ? undefined : actor.metadata.find(PAGE_SCHEMA, pageKey);
}

function maySee({ model, actor }: Subject, fieldCode: string): boolean {
  const field = model.fields.get(fieldCode);
  return field !== undefined && isReadable(field, actor.permissions);
}
