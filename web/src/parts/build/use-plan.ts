import { KeelsonError } from '@keelson/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { planQuery, type Plan } from './build-query.ts';
import { nameOf, type Draft } from './drafts.ts';
import { readYaml, type LineNote, type Path, type ReadYaml } from './yaml-text.ts';

type Conflict = Plan['conflicts'][number];

/** Something that the service says about a place of a draft. */
export interface DraftNote {
  readonly path: Path;
  readonly text: string;
  readonly tone: LineNote['tone'];
}

export interface DraftPlan {
  /** Of the drafts that were sent; undefined while there is none. */
  readonly plan: Plan | undefined;
  readonly sent: readonly Draft[];
  /** Drafts that are no YAML. */
  readonly unreadable: readonly Draft[];
  readonly isChecking: boolean;
  /** What kept the service from looking; not what is wrong with drafts. */
  readonly error: Error | null;
  /** By the names of drafts. */
  readonly notes: ReadonlyMap<string, readonly DraftNote[]>;
  readonly retry: () => void;
}

const PAUSE_MS = 500;

/** A text is read once, however often it is asked for. */
const read = new Map<string, ReadYaml>();
const KEPT = 100;

export function readDraft({ text }: Pick<Draft, 'text'>): ReadYaml {
  const known = read.get(text);
  if (known) return known;
  if (read.size >= KEPT) read.clear();
  const found = readYaml(text);
  read.set(text, found);
  return found;
}

/** A value that has stayed the same for a moment. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** What saving drafts would do, asked anew when nothing has been typed for a moment. */
export function usePlan(drafts: readonly Draft[]): DraftPlan {
  const settled = useSettled(drafts);
  const sent = useMemo(
    () => settled.filter((draft) => draft.isLeftOut !== true && readDraft(draft).content !== null),
    [settled],
  );
  const resources = sent.map((draft) => {
    const { resourceType, code } = draft;
    return { resourceType, code, content: { ...readDraft(draft).content } };
  });
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(planQuery(resources));
  const isWrong = error instanceof KeelsonError && error.code === 'VALIDATION_ERROR';
  const notes = useMemo(() => {
    const found = new Map<string, DraftNote[]>();
    const add = (name: string, note: DraftNote) => found.set(name, [...(found.get(name) ?? []), note]);
    if (isWrong) for (const [path, text] of Object.entries(error.fieldErrors)) addError(sent, path, text, add);
    else for (const conflict of data?.conflicts ?? []) add(nameOf(conflict), noteOf(conflict, sent));
    return found;
  }, [data, error, isWrong, sent]);
  return {
    plan: error || sent.length === 0 ? undefined : data,
    sent,
    unreadable: settled.filter((draft) => readDraft(draft).content === null),
    isChecking: settled !== drafts || isFetching || isPlaceholderData,
    error: isWrong ? null : error,
    notes,
    retry: () => void refetch(),
  };
}

/** `resources.<index>.content.fields.0.code` is about a place of one draft. */
function addError(
  sent: readonly Draft[],
  path: string,
  text: string,
  add: (name: string, note: DraftNote) => void,
): void {
  const [, index, ...rest] = path.split('.');
  const draft = sent[Number(index)];
  if (draft) add(nameOf(draft), { path: inContent(rest), text, tone: 'bad' });
}

function inContent(path: readonly string[]): readonly string[] {
  return path[0] === 'content' ? path.slice(1) : path;
}

/** Where in its draft a conflict is, as far as it says so. */
function noteOf(conflict: Conflict, sent: readonly Draft[]): DraftNote {
  const { details, message, severity } = conflict;
  const tone = severity === 'blocking' ? 'bad' : 'waiting';
  const { path, field } = details;
  if (typeof path === 'string') {
    // `PAGE_SCHEMA/leads content.columns.3 -> MODEL/lead` is a place in what refers to something.
    const [owner, place = path] = path.includes(' ') ? path.split(' ') : [nameOf(conflict)];
    if (owner === nameOf(conflict)) return { path: inContent(place.split('.')), text: message, tone };
  }
  const draft = sent.find((one) => nameOf(one) === nameOf(conflict));
  const fields = draft && readDraft(draft).content?.fields;
  const at = Array.isArray(fields) ? fields.findIndex((one: { code?: unknown } | null) => one?.code === field) : -1;
  return { path: at < 0 ? [] : ['fields', at], text: message, tone };
}

/** What is wrong with a draft, at its lines. */
export function lineNotes(draft: Draft, notes: readonly DraftNote[] = []): LineNote[] {
  const { problems, lineOf } = readDraft(draft);
  const said = notes.map(({ path, text, tone }): LineNote => ({
    line: lineOf(path),
    text: wordsOf({ path, text }),
    tone,
  }));
  return [...problems, ...said].toSorted((one, other) => one.line - other.line);
}

/** A text that begins with its path says it already. */
export function wordsOf({ path, text }: Pick<DraftNote, 'path' | 'text'>): string {
  const last = path.at(-1);
  return typeof last !== 'string' || /^\d+$/.test(last) || text.includes(last) ? text : `${last} ${text}`;
}
