import type { ResourceType } from '../promotions/promotion-words.ts';
import type { Resource } from './build-query.ts';
import { nameOf, type Draft, type Named } from './drafts.ts';
import { readDraft } from './use-plan.ts';
import type { Content } from './yaml-text.ts';

/** A resource in the list: saved, not saved yet, or both. */
export interface ListedRow extends Named {
  readonly name: string;
  readonly app: string | null;
  /** Null: it was never saved. */
  readonly version: number | null;
  readonly updatedAt: string | null;
  readonly hasDraft: boolean;
}

interface Filter {
  readonly type?: ResourceType | undefined;
  readonly app?: string | undefined;
  readonly keyword?: string | undefined;
}

/** What is saved, with what is new and fits the filter in front of it. */
export function toRows(resources: readonly Resource[], drafts: readonly Draft[], filter: Filter): ListedRow[] {
  const kept = new Set(drafts.map(nameOf));
  const saved = resources.map((resource): ListedRow => ({
    ...about(resource, resource.content),
    version: resource.version,
    updatedAt: resource.updatedAt,
    hasDraft: kept.has(nameOf(resource)),
  }));
  const fresh = drafts
    .filter(({ version }) => version === null)
    .map((draft): ListedRow => ({
      ...about(draft, readDraft(draft).content ?? {}),
      version: null,
      updatedAt: null,
      hasDraft: true,
    }));
  return [...fresh.filter((row) => fits(row, filter)), ...saved];
}

function about({ resourceType, code }: Named, content: Content) {
  const { name, app } = content;
  return {
    resourceType,
    code,
    name: typeof name === 'string' && name !== '' ? name : code,
    app: typeof app === 'string' ? app : null,
  };
}

function fits({ resourceType, code, name, app }: ListedRow, filter: Filter): boolean {
  const keyword = filter.keyword?.toLowerCase() ?? '';
  return (
    (filter.type === undefined || filter.type === resourceType) &&
    (filter.app === undefined || filter.app === app) &&
    `${code} ${name}`.toLowerCase().includes(keyword)
  );
}
