import { ValidationError } from '@keelson/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { findField, nameField, type Command, type Model, type Page, type RecordData } from '../../app/application.ts';
import { shownInLine } from '../../app/errors.ts';
import { fieldName } from '../../app/field-names.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { useLatest } from '../../ui/use-latest.ts';
import { isOutdated } from '../commands/form-problems.ts';
import { newKey, runCommand } from '../commands/run-command.ts';
import { knownChoice } from '../fields/known-choice.ts';
import { textOf } from '../fields/field-kind.ts';
import { undoOfUpdate } from '../record/undo.ts';
import { recordsKey } from '../records/record-list.ts';

/** A cell whose value is on its way, or was refused. */
export interface CellEdit {
  readonly value: unknown;
  /** What it was called where it was chosen. */
  readonly label: string | undefined;
  /** Why it was refused; null while the command runs. */
  readonly problem: string | null;
}

export interface CellEdits {
  readonly editing: { readonly pid: string; readonly code: string } | null;
  readonly of: (pid: string) => ReadonlyMap<string, CellEdit> | undefined;
  /** Whether a command changes the field of a record that has been read, and the cell has no editor yet. */
  readonly canStart: (record: RecordData | undefined, code: string | undefined) => boolean;
  /** Opens the editor of a cell, where a command changes its field. */
  readonly start: (record: RecordData, code: string) => void;
  readonly commit: (value: unknown) => void;
  readonly cancel: () => void;
}

type All = ReadonlyMap<string, ReadonlyMap<string, CellEdit>>;

/** The cells of a list that are changed in their place. @param commandFor the command that changes a field */
export function useCellEdits(page: Page, model: Model, commandFor: (code: string) => Command | undefined): CellEdits {
  const cache = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const [edits, setEdits] = useState<All>(new Map());
  const [editing, setEditing] = useState<{ readonly record: RecordData; readonly code: string } | null>(null);
  const latest = useLatest({ editing, commandFor, me });
  /** Changes of one record follow each other: each starts from the version that the one before has made. */
  const versions = useRef(new Map<string, Promise<number>>());
  const put = useCallback((pid: string, code: string, edit: CellEdit | null) => {
    setEdits((before) => {
      const own = new Map(before.get(pid));
      if (edit) own.set(code, edit);
      else own.delete(code);
      const after = new Map(before);
      if (own.size > 0) after.set(pid, own);
      else after.delete(pid);
      return after;
    });
  }, []);

  const save = useCallback(
    async (record: RecordData, code: string, value: unknown) => {
      const { pid } = record;
      const command = latest.current.commandFor(code);
      if (!command) return;
      const edit = { value, label: knownChoice(cache, page.pageKey, code, value) };
      put(pid, code, { ...edit, problem: null });
      const before = versions.current.get(pid) ?? Promise.resolve(0);
      const run = before
        .catch(() => 0)
        .then((known) => {
          const from = { pid, version: Math.max(known, record.version) };
          const payload = { [code]: value };
          return runCommand({ command, operation: 'UPDATE', payload, record: from, idempotencyKey: newKey() });
        });
      versions.current.set(
        pid,
        run.then((sent) => (sent.isDone ? (sent.result as RecordData).version : 0)),
      );
      versions.current.get(pid)?.catch(() => undefined);
      try {
        const sent = await run;
        await cache.invalidateQueries({ queryKey: recordsKey(page.pageKey) });
        put(pid, code, null);
        // One that takes long says in the tray how it ends.
        if (!sent.isDone) return;
        const { version } = sent.result as RecordData;
        const field = findField(model, code);
        const names = { field: field ? fieldName(field) : code, name: textOf(record[nameField(model)]) };
        const undo = undoOfUpdate(latest.current.me, model, page.pageKey, { ...record, version: version - 1 });
        say(t('{field} of {name} is changed', names), undo);
      } catch (error) {
        versions.current.delete(pid);
        put(pid, code, { ...edit, problem: problemOf(error, code) });
        if (isOutdated(error)) await cache.invalidateQueries({ queryKey: recordsKey(page.pageKey) });
      }
    },
    [cache, latest, model, page, put],
  );

  return useMemo(
    () => ({
      editing: editing && { pid: editing.record.pid, code: editing.code },
      of: (pid) => edits.get(pid),
      canStart: (record, code) =>
        record !== undefined &&
        code !== undefined &&
        commandFor(code) !== undefined &&
        !(editing?.record.pid === record.pid && editing.code === code),
      start: (record, code) => {
        put(record.pid, code, null);
        if (commandFor(code)) setEditing({ record, code });
        else say(t('No command of this page changes this field'));
      },
      commit: (value) => {
        const { editing: current } = latest.current;
        setEditing(null);
        if (!current || textOf(value ?? null) === textOf(current.record[current.code] ?? null)) return;
        void save(current.record, current.code, value ?? null);
      },
      cancel: () => setEditing(null),
    }),
    [editing, edits, put, commandFor, latest, save],
  );
}

function problemOf(error: unknown, code: string): string {
  if (isOutdated(error)) return t('Someone else has changed the record: look, and try again');
  const own =
    error instanceof ValidationError ? (error.fieldErrors[code] ?? error.fieldErrors[`payload.${code}`]) : null;
  return own ?? shownInLine(error);
}
