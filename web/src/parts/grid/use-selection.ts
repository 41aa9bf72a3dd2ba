import { useCallback, useMemo, useRef, useState } from 'react';
import { useLatest } from '../../ui/use-latest.ts';
import type { RecordData } from '../../app/application.ts';

/** The records that something is to be done with. */
export interface Selection {
  readonly size: number;
  readonly records: readonly RecordData[];
  readonly has: (pid: string) => boolean;
  readonly toggle: (record: RecordData, row: number) => void;
  /** Selects the rows from where the selection began; `from` where it has not. */
  readonly extend: (row: number, from?: number) => void;
  readonly all: () => void;
  readonly clear: () => void;
}

interface Sources {
  readonly at: (row: number) => RecordData | undefined;
  /** Reads all records of the list, as far as one selection goes. */
  readonly readAll: () => Promise<readonly RecordData[]>;
}

/** As many as one selection may have. */
export const MAX_SELECTED = 5_000;

export function useSelection(sources: Sources): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, RecordData>>(new Map());
  const anchor = useRef<number | null>(null);
  const latest = useLatest(sources);
  const toggle = useCallback((record: RecordData, row: number) => {
    anchor.current = row;
    setChosen((before) => {
      const after = new Map(before);
      if (!after.delete(record.pid)) after.set(record.pid, record);
      return after;
    });
  }, []);
  const extend = useCallback(
    (row: number, from?: number) => {
      anchor.current ??= from ?? row;
      const [first, last] = [Math.min(anchor.current, row), Math.max(anchor.current, row)];
      const between = Array.from({ length: last - first + 1 }, (_, index) => latest.current.at(first + index));
      setChosen((before) => {
        const after = new Map(before);
        for (const record of between) if (record && after.size < MAX_SELECTED) after.set(record.pid, record);
        return after;
      });
    },
    [latest],
  );
  const clear = useCallback(() => {
    anchor.current = null;
    setChosen(new Map());
  }, []);
  const all = useCallback(() => {
    void latest.current
      .readAll()
      .then((records) => setChosen(new Map(records.map((record) => [record.pid, record]))))
      // The list says by itself what fails.
      .catch(() => undefined);
  }, [latest]);
  return useMemo(
    () => ({
      size: chosen.size,
      records: [...chosen.values()],
      has: (pid) => chosen.has(pid),
      toggle,
      extend,
      all,
      clear,
    }),
    [chosen, toggle, extend, all, clear],
  );
}
