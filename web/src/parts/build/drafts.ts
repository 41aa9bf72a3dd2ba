import { useSuspenseQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import type { ResourceType } from '../promotions/promotion-words.ts';

/** A resource as its author has it, and has not saved it yet. */
export interface Draft {
  readonly resourceType: ResourceType;
  readonly code: string;
  readonly text: string;
  /** The version that it began with; null: the resource is new. */
  readonly version: number | null;
  /** Others are saved without it. */
  readonly isLeftOut?: boolean;
}

export type Named = Pick<Draft, 'resourceType' | 'code'>;

export function nameOf({ resourceType, code }: Named): string {
  return `${resourceType}/${code}`;
}

const listeners = new Set<() => void>();
const read = new Map<string, readonly Draft[]>();

/** They outlive a reload, and are gone with the tab. */
function draftsIn(place: string): readonly Draft[] {
  const known = read.get(place);
  if (known) return known;
  const stored = sessionStorage.getItem(place);
  const drafts = stored === null ? [] : (JSON.parse(stored) as Draft[]);
  read.set(place, drafts);
  return drafts;
}

function write(place: string, drafts: readonly Draft[]): void {
  read.set(place, drafts);
  if (drafts.length === 0) sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, JSON.stringify(drafts));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

interface Drafts {
  readonly drafts: readonly Draft[];
  /** Puts drafts in the place of those of the same names. */
  readonly keep: (...changed: readonly Draft[]) => void;
  readonly drop: (...names: readonly Named[]) => void;
}

/** What the caller has not saved yet, in this tab and this environment. */
export function useDrafts(): Drafts {
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: application } = useSuspenseQuery(applicationQuery);
  const place = `keelson:drafts ${application.environment} ${me.userPid}`;
  const drafts = useSyncExternalStore(subscribe, () => draftsIn(place));
  return {
    drafts,
    keep: (...changed) => {
      const all = new Map(draftsIn(place).map((draft) => [nameOf(draft), draft]));
      for (const draft of changed) all.set(nameOf(draft), draft);
      write(place, [...all.values()]);
    },
    drop: (...names) => {
      const gone = new Set(names.map(nameOf));
      write(
        place,
        draftsIn(place).filter((draft) => !gone.has(nameOf(draft))),
      );
    },
  };
}
