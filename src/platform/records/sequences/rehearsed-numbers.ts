import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { Model } from '../../metadata/models/model.ts';
import { REHEARSED_NUMBER_ATTEMPTS } from '../records.limits.ts';

/** Runs `create` again where others have taken the numbers that it has tried with. */
export async function withFreshNumbers<T>(model: Model, create: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await create();
    } catch (error) {
      if (attempt >= REHEARSED_NUMBER_ATTEMPTS || !isNumberTaken(model, error)) throw error;
    }
  }
}

function isNumberTaken({ sequences }: Model, error: unknown): boolean {
  if (!(error instanceof ApplicationError) || error.data?.reason !== 'UNIQUE') return false;
  const fields = Object.keys(error.data.fieldErrors ?? {});
  return sequences.some(({ code }) => fields.includes(code));
}
