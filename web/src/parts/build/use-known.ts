import { useQuery } from '@tanstack/react-query';
import type { ResourceType } from '../promotions/promotion-words.ts';
import { ofTypeQuery, resourceQuery } from './build-query.ts';
import { useDrafts } from './drafts.ts';
import { readDraft } from './use-plan.ts';
import type { Content } from './yaml-text.ts';

/** A resource as a form about others sees it: as it is saved, or as the caller has it in a draft. */
export interface Known {
  readonly code: string;
  readonly content: Content;
}

/** All of a type, those of the caller's drafts among them; undefined until they are read. */
export function useKnown(type: ResourceType) {
  const { data, error, refetch } = useQuery(ofTypeQuery(type));
  const { drafts } = useDrafts();
  const known = data && new Map<string, Known>(data.map((one) => [one.code, one]));
  for (const draft of drafts) {
    const { content } = readDraft(draft);
    if (draft.resourceType === type && content) known?.set(draft.code, { code: draft.code, content });
  }
  return { data: known && [...known.values()], error, refetch };
}

/** The content of one, as a draft of the caller's or as it is saved; null where there is none. */
export function useContentOf(type: ResourceType, code: string): Content | null {
  const { drafts } = useDrafts();
  const { data } = useQuery({ ...resourceQuery(type, code), enabled: code !== '' });
  const draft = drafts.find((one) => one.resourceType === type && one.code === code);
  return (draft && readDraft(draft).content) ?? data?.content ?? null;
}
