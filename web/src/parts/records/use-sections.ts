import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Application } from '../../app/application.ts';
import type { Figure } from './figures.ts';
import { groupName } from './group-name.ts';
import { conditionsOfGroup, groupsQuery, type Grouping } from './grouping.ts';
import type { ListRequest } from './record-list.ts';
import type { Section } from './sections.ts';

interface Sections {
  /** Null: the list is not grouped, or its groups are not known yet. */
  readonly sections: readonly Section[] | null;
  readonly isReading: boolean;
  readonly error: Error | null;
  /** There are more groups than are shown. */
  readonly isCut: boolean;
  readonly toggle: (key: string) => void;
}

/** The groups of a list, each open until it is closed. */
export function useSections(
  application: Application,
  request: ListRequest,
  grouping: Grouping | null,
  figures: readonly Figure[],
): Sections {
  const { data, error } = useQuery(groupsQuery(application, request, grouping, figures));
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => {
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });
  }, []);
  const sections = useMemo(
    () =>
      grouping && data
        ? data.groups.map((group): Section => {
            const key = JSON.stringify(group.value);
            const head = { key, name: groupName(grouping, group), group, isOpen: !closed.has(key) };
            return { key, conditions: conditionsOfGroup(grouping, group.value), count: group.count, head };
          })
        : null,
    [grouping, data, closed],
  );
  return { sections, isReading: grouping !== null && !data, error, isCut: data?.isCut ?? false, toggle };
}
