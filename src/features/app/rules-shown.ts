import type { Model } from '../../platform/metadata/models/model.ts';
import { fieldsOfCheck } from '../../platform/metadata/models/record-checks.ts';
import type { App } from './app-schema.ts';

type Rules = Pick<App['models'][number], 'checks' | 'uniqueTogether' | 'noOverlap'>;

/**
 * What must hold of the records of a model, as far as a caller may know: rules over fields that they may not
 * read are left out.
 * @param shown text of an author, in the caller's language
 */
export function rulesShown(
  { checks, rules: { uniqueTogether = [], noOverlap = [] }, fields }: Model,
  readable: ReadonlySet<string>,
  shown: (text: string) => string,
): Rules {
  const isKnown = (codes: readonly string[]): boolean => codes.every((code) => readable.has(code));
  const known = {
    checks: checks
      .filter((check) => isKnown([...fieldsOfCheck(check.assert, [...fields.keys()]), ...(check.fields ?? [])]))
      .map((check) => ({ ...check, message: shown(check.message) })),
    uniqueTogether: uniqueTogether.filter(isKnown),
    noOverlap: noOverlap
      .filter(({ fields: shared = [], from, to, where = [] }) =>
        isKnown([...shared, from, to, ...where.map(({ fieldName }) => fieldName)]),
      )
      .map(({ fields: shared = [], from, to, message }) => ({
        fields: shared,
        from,
        to,
        ...(message !== undefined && { message: shown(message) }),
      })),
  };
  return Object.fromEntries(Object.entries(known).filter(([, all]) => all.length > 0));
}
