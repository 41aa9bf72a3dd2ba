import { ApplicationError } from '../../foundation/errors/application-error.ts';
import type { Model } from '../../platform/metadata/models/model.ts';

/** @throws PRECONDITION_REQUIRED if the model requires the version that a change starts from */
export function requireVersion({ requiresVersion }: Model, expectedVersion: number | null): void {
  if (requiresVersion && expectedVersion === null) throw new ApplicationError('PRECONDITION_REQUIRED');
}
