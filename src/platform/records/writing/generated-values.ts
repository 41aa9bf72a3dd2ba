import type { Transaction } from '../../../foundation/database/pool.ts';
import { dayIn } from '../../../foundation/time/time-zones.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { Model } from '../../metadata/models/model.ts';
import { takeNumbers } from '../sequences/record-numbers.ts';
import { withComputed } from './computed-fields.ts';
import type { IdentifiedWrite } from './record-files.ts';

/** A record that is created. */
export interface NewRow extends IdentifiedWrite {
  readonly before: null;
}

/**
 * New records with the values that the platform makes: numbers first, as they may be computed with.
 * @throws VALIDATION_ERROR, EXPRESSION_LIMIT
 */
export async function withGenerated(
  transaction: Transaction,
  { tenantId, timeZone }: Pick<Actor, 'tenantId' | 'timeZone'>,
  model: Model,
  rows: readonly NewRow[],
): Promise<readonly NewRow[]> {
  if (model.sequences.length + model.computed.length === 0) return rows;
  const day = dayIn(new Date(), timeZone);
  const numbers = new Map<string, string[]>();
  for (const field of model.sequences) {
    numbers.set(field.code, await takeNumbers(transaction, model, tenantId, field, day, rows.length));
  }
  return rows.map((row, index) => {
    const numbered = [...numbers].map(([code, all]) => [code, all[index]] as const);
    return { ...row, values: withComputed(model, null, new Map([...row.values, ...numbered])) };
  });
}
