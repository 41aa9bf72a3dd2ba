import { UTC } from '../../time/time-zones.ts';

/** Under it the variables of an expression hold the time zone in which days are meant. No expression sees it. */
const TIME_ZONE = Symbol('time zone');

/** The variables of expressions that mean days in this zone. */
export function inTimeZone<T extends object>(context: T, timeZone: string): T {
  return timeZone === UTC ? context : { ...context, [TIME_ZONE]: timeZone };
}

export function zoneOfContext(context: object): string {
  return (context as { readonly [TIME_ZONE]?: string })[TIME_ZONE] ?? UTC;
}
