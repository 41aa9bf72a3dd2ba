import { ApplicationError, validationError, type FieldErrors } from '../../../foundation/errors/application-error.ts';
import { writeBatch } from './record-batch.ts';

/**
 * Writes items at once, all or none.
 * @param attempt undoes what its work has written when that throws
 * @param placeOf where an item stands in what was asked for
 * @throws the error of the first item that cannot be written, with its place in the paths of the fields, or
 *   as `data.path`
 */
export async function writeAtPlaces<I, T>(
  items: readonly I[],
  placeOf: (index: number) => string,
  attempt: <R>(work: () => Promise<R>) => Promise<R>,
  write: (items: readonly I[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (items.length === 0) return [];
  try {
    const { results } = await writeBatch(items, 'atomic', attempt, write);
    return results.flatMap((item) => (item.code === '0' ? [item.data] : []));
  } catch (error) {
    throw placed(error, placeOf);
  }
}

function placed(error: unknown, placeOf: (index: number) => string): unknown {
  if (!(error instanceof ApplicationError) || typeof error.data?.index !== 'number') return error;
  const { index, ...data } = error.data as { index: number; fieldErrors?: FieldErrors };
  const place = placeOf(index);
  const fieldErrors = Object.fromEntries(
    Object.entries(data.fieldErrors ?? {}).map(([path, problem]) => [`${place}.${path}`, problem]),
  );
  if (error.code === 'VALIDATION_ERROR') return validationError(fieldErrors, error.text);
  return new ApplicationError(error.code, {
    message: error.text,
    data: { ...data, ...(data.fieldErrors && { fieldErrors }), path: place },
    cause: error,
  });
}
