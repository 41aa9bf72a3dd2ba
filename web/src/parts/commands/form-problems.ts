import { ConflictError, PreconditionError, ValidationError } from '@keelson/client';
import type { Field, Page, RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { shown, type ShownError } from '../../app/errors.ts';

/** What is wrong with a form, and where it is shown. */
export interface FormProblems {
  /** By code of the field. */
  readonly fields: Readonly<Record<string, string | undefined>>;
  /** What belongs to no field. */
  readonly general: ShownError | null;
  /** The record as someone else has changed it meanwhile. */
  readonly newer: RecordData | null;
}

interface Form {
  readonly page: Page;
  readonly fields: readonly Field[];
  readonly record: RecordData | null;
}

export async function problemsOf(error: unknown, { page, fields, record }: Form): Promise<FormProblems> {
  if (record && isOutdated(error)) {
    const newer: RecordData | null = await client
      .page(page.pageKey)
      .get(record.pid)
      .catch(() => null);
    if (newer) return { fields: {}, general: null, newer };
  }
  if (!(error instanceof ValidationError)) return { fields: {}, general: shown(error), newer: null };
  const named = Object.entries(error.fieldErrors).map(([path, problem]) => [path.replace(/^payload\./, ''), problem]);
  const known = new Set(fields.map(({ code }) => code));
  // Lists show what is wrong in their rows.
  const lists = fields.flatMap(({ code, type }) => (type === 'list' ? [code] : []));
  const others = named
    .filter(([path = '']) => !known.has(path) && !lists.some((code) => path.startsWith(`${code}[`)))
    .map(([path, problem]) => `${path}: ${problem}`);
  return {
    fields: Object.fromEntries(named) as Record<string, string>,
    general: others.length > 0 || named.length === 0 ? { ...shown(error), advice: others.join('. ') } : null,
    newer: null,
  };
}

/** Whether another change came first. */
export function isOutdated(error: unknown): boolean {
  return error instanceof PreconditionError || (error instanceof ConflictError && error.reason === 'VERSION');
}
