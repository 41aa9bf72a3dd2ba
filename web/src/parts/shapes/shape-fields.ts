import { ownFirst, type Field, type Model } from '../../app/application.ts';
import { isDay } from '../records/grouping.ts';

/** The fields that a board may have a column for each value of. */
export function stateFields({ fields }: Model): Field[] {
  return fields.filter(({ type }) => type === 'enum');
}

/** The fields that a calendar may have records by: those that people set first. */
export function dayFields({ fields }: Model): Field[] {
  return ownFirst(fields).filter((field) => isDay(field));
}

/** The field of an address, or the first one that fits. */
export function chosenField(fields: readonly Field[], group: string | undefined): Field | undefined {
  const code = group?.split(':')[0];
  return fields.find((field) => field.code === code) ?? fields[0];
}
