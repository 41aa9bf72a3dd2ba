import { ValidationError } from '@keelson/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { nameField, type Field, type RecordData } from '../../app/application.ts';
import { shownInLine } from '../../app/errors.ts';
import { fieldName } from '../../app/field-names.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { textOf } from '../fields/field-kind.ts';
import { undoOfUpdate } from '../record/undo.ts';
import { recordsKey } from '../records/record-list.ts';
import type { ShapeProps } from './shape.ts';
import { makeMove, moveTo, type Move } from './value-moves.ts';

export interface Moves {
  /** Where a record is going, while the command runs. */
  readonly goalOf: (pid: string) => { readonly value: unknown } | undefined;
  /** Why a record has stayed. */
  readonly problemOf: (pid: string) => string | undefined;
  readonly find: (record: RecordData, value: unknown) => Move;
  readonly go: (record: RecordData, value: unknown) => void;
}

/** Records of a shape that get another value of its field by being moved: each move is a command. */
export function useMoves({ application, page, model, onChange }: ShapeProps, field: Field): Moves {
  const cache = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const [goals, setGoals] = useState<ReadonlyMap<string, unknown>>(new Map());
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const find = (record: RecordData, value: unknown) =>
    moveTo(application, page, model, field, record[field.code] ?? null, value);

  async function go(record: RecordData, value: unknown) {
    const { pid } = record;
    const move = find(record, value);
    if (goals.has(pid) || textOf(record[field.code] ?? null) === textOf(value)) return;
    setProblems((before) => without(before, pid));
    if ('reason' in move) {
      setProblems((before) => new Map(before).set(pid, move.reason));
      return;
    }
    const openForm = () => onChange({ open: pid, run: move.command.code });
    if (move.needsForm) return openForm();
    setGoals((before) => new Map(before).set(pid, value));
    const fresh = () => cache.invalidateQueries({ queryKey: recordsKey(page.pageKey) });
    try {
      const sent = await makeMove(move, record);
      await fresh();
      const names = { field: fieldName(field), name: textOf(record[nameField(model)]) };
      const isPlain = !move.command.operations.includes('CUSTOM');
      const undo = isPlain ? undoOfUpdate(me, model, page.pageKey, record) : undefined;
      // One that takes long says in the tray how it ends.
      if (sent.isDone) say(t('{field} of {name} is changed', names), undo);
    } catch (error) {
      setProblems((before) => new Map(before).set(pid, shownInLine(error)));
      // What it lacks is asked for.
      if (error instanceof ValidationError && move.takes.some((code) => code in error.fieldErrors)) openForm();
      await fresh();
    }
    setGoals((before) => without(before, pid));
  }

  return {
    goalOf: (pid) => (goals.has(pid) ? { value: goals.get(pid) } : undefined),
    problemOf: (pid) => problems.get(pid),
    find,
    go: (record, value) => void go(record, value),
  };
}

function without<T>(all: ReadonlyMap<string, T>, pid: string): ReadonlyMap<string, T> {
  const rest = new Map(all);
  rest.delete(pid);
  return rest;
}
