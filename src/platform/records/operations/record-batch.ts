import {
  ApplicationError,
  throwIfInvalid,
  type FieldErrors,
  validationError,
} from '../../../foundation/errors/application-error.ts';
import type { ErrorCode } from '../../../foundation/errors/catalogue.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { MAX_BATCH } from '../records.limits.ts';

/** `atomic`: all items or none; `partial`: those that can be written. */
export type BatchMode = 'atomic' | 'partial';

type Written<T> =
  | { readonly code: '0'; readonly data: T }
  | { readonly code: ErrorCode; readonly message: Message; readonly data: unknown };

/** What became of one item of a batch. */
export type BatchItem<T> = Written<T> & { readonly index: number };

export interface BatchResult<T> {
  readonly succeeded: number;
  readonly failed: number;
  /** In the order of the items. */
  readonly results: readonly BatchItem<T>[];
}

/** @throws VALIDATION_ERROR for no items, too many, or a record that is named twice */
export function checkBatch(items: readonly unknown[], pids: readonly string[] = []): void {
  const errors: FieldErrors = {};
  if (items.length === 0) errors.items = 'is required';
  if (items.length > MAX_BATCH) errors.items = text('takes at most {max} items', { max: MAX_BATCH });
  const seen = new Set<string>();
  pids.forEach((pid, index) => {
    if (seen.has(pid)) errors[`items.${index}.pid`] = 'is named twice';
    seen.add(pid);
  });
  throwIfInvalid(errors);
}

/** A part that is refused is tried again in so many smaller ones. */
const PARTS = 8;

/** How items are written, and what a refusal means. */
export interface Writing<I, T> {
  /** Undoes what its work has written when that throws. */
  attempt<R>(work: () => Promise<R>): Promise<R>;
  write(items: readonly I[]): Promise<readonly T[]>;
  /** Whether one of the items is to blame; any other error is thrown. */
  isRefusal(error: unknown): boolean;
  /** What becomes of the one item that is to blame. */
  refused(error: unknown, index: number): T;
}

/**
 * Writes all items at once. Only where that is refused, parts are tried, down to the items that are to blame:
 * without them many cost the same statements as one.
 */
export async function writeInParts<I, T>(items: readonly I[], writing: Writing<I, T>): Promise<T[]> {
  const inParts = async (part: readonly I[], from: number): Promise<T[]> => {
    try {
      return [...(await writing.attempt(() => writing.write(part)))];
    } catch (error) {
      if (!writing.isRefusal(error)) throw error;
      if (part.length === 1) return [writing.refused(error, from)];
    }
    const results: T[] = [];
    const size = Math.ceil(part.length / PARTS);
    for (let at = 0; at < part.length; at += size) {
      results.push(...(await inParts(part.slice(at, at + size), from + at)));
    }
    return results;
  };
  return items.length === 0 ? [] : inParts(items, 0);
}

/**
 * Writes the items of a batch, as `writeInParts`.
 * @throws for `atomic`, the error of the first item that cannot be written, with its `data.index`
 */
export async function writeBatch<I, T>(
  items: readonly I[],
  mode: BatchMode,
  attempt: Writing<I, T>['attempt'],
  write: Writing<I, T>['write'],
): Promise<BatchResult<T>> {
  const results = await writeInParts<I, Written<T>>(items, {
    attempt,
    write: async (part) => (await write(part)).map((data) => ({ code: '0', data })),
    isRefusal: (error) => error instanceof ApplicationError && error.status < 500,
    refused(error, index) {
      const { code, text: message, data } = error as ApplicationError;
      if (mode === 'partial') return { code, message, data };
      throw new ApplicationError(code, { message, data: { ...data, index }, cause: error });
    },
  });
  const failed = results.filter(({ code }) => code !== '0').length;
  return {
    succeeded: results.length - failed,
    failed,
    results: results.map((result, index) => ({ index, ...result })),
  };
}

/**
 * Writes items at once, all or none.
 * @param attempt undoes what its work has written when that throws
 * @param pathOf the path of an item in the request
 * @throws the error of the first item that cannot be written, with its path before those of the fields, or
 *   as `data.path`
 */
export async function writeAtPaths<I, T>(
  items: readonly I[],
  pathOf: (index: number) => string,
  attempt: <R>(work: () => Promise<R>) => Promise<R>,
  write: (items: readonly I[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (items.length === 0) return [];
  try {
    const { results } = await writeBatch(items, 'atomic', attempt, write);
    return results.flatMap((item) => (item.code === '0' ? [item.data] : []));
  } catch (error) {
    throw atPath(error, pathOf);
  }
}

function atPath(error: unknown, pathOf: (index: number) => string): unknown {
  if (!(error instanceof ApplicationError) || typeof error.data?.index !== 'number') return error;
  const { index, ...data } = error.data as { index: number; fieldErrors?: FieldErrors };
  const at = pathOf(index);
  const fieldErrors = Object.fromEntries(
    Object.entries(data.fieldErrors ?? {}).map(([path, problem]) => [`${at}.${path}`, problem]),
  );
  if (error.code === 'VALIDATION_ERROR') return validationError(fieldErrors, error.text);
  return new ApplicationError(error.code, {
    message: error.text,
    data: { ...data, ...(data.fieldErrors && { fieldErrors }), path: at },
    cause: error,
  });
}
