import type { FieldErrors } from '../../../foundation/errors/application-error.ts';
import type { Message } from '../../../foundation/i18n/text.ts';
import type { FilterContent } from '../../metadata/content/filter-content.ts';

/**
 * Problems of conditions that are joined by AND, each at its place: path -> problem.
 * @param problemOf the first problem of some of them
 */
export function problemsByPlace(
  conditions: readonly FilterContent[],
  path: string,
  problemOf: (some: readonly FilterContent[]) => Message | null,
): FieldErrors {
  const ofAll = problemOf(conditions);
  if (ofAll === null) return {};
  const placed = conditions.flatMap((condition, index) => {
    const problem = problemOf([condition]);
    return problem === null ? [] : [[`${path}.${index}`, problem] as const];
  });
  // Of all together there may be too many.
  return placed.length > 0 ? Object.fromEntries(placed) : { [path]: ofAll };
}
