import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { conflict, type ApplicationError } from '../../foundation/errors/application-error.ts';

/**
 * Runs a write whose only unique value that a caller chooses is `field`. @throws CONFLICT (UNIQUE) when it is
 * taken
 */
export async function mapUniqueViolation<T>(field: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw isTaken(field);
  }
}

export function isTaken(field: string): ApplicationError {
  return conflict('UNIQUE', 'The value is taken', { fieldErrors: { [field]: 'is taken' } });
}
