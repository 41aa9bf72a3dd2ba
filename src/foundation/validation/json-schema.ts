import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import { MESSAGE, REPLACED_BY } from './schema.ts';

export type { Ajv2020, ErrorObject, ValidateFunction };

/** The dialect of all schemas. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The only set-up of ajv. By default it tells all errors, and leaves values as they are. */
export function newAjv(options: Pick<Options, 'allErrors' | 'useDefaults' | 'coerceTypes'> = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    ...options,
    verbose: true,
    discriminator: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
  });
  addFormats.default(ajv);
  return ajv.addVocabulary([MESSAGE, REPLACED_BY]);
}
