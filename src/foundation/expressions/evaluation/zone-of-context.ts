import { UTC } from '../../time/time-zones.ts';

/** The key of the time zone among the variables of an expression, which cannot name it. */
const TIME_ZONE = Symbol('time zone');

/** The variables of expressions that mean days in this zone. */
export function inTimeZone<T extends object>(context: T, timeZone: string): T {
  return timeZone === UTC ? context : { ...context, [TIME_ZONE]: timeZone };
}

export function zoneOfContext(context: object): string {
  return (context as { readonly [TIME_ZONE]?: string })[TIME_ZONE] ?? UTC;
}
