import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { dayIn, isTimeZone, momentAt, startOfDay, UTC, wallClock } from '../../../foundation/time/time-zones.ts';
import type { Actor } from '../../auth/requests/actor.ts';
import type { Checked } from '../../metadata/field-types/field-type.ts';
import type { FieldType } from '../../metadata/field-types/field-types.ts';

/** The e-mail of a caller: a stored identity has none, so that the statement looks it up. */
export class EmailOfCaller {
  readonly userPid: string;

  constructor(userPid: string) {
    this.userPid = userPid;
  }

  /** SQL expression, evaluated once; null for a program. @param add makes a parameter */
  sql(add: (value: unknown) => string): string {
    return `(select platform.email_of_user(${add(this.userPid)}))`;
  }
}

/** For whom a condition is judged. */
export type DynamicCaller = Pick<Actor, 'userPid' | 'tenantId' | 'timeZone' | 'roles'>;

/** In whose place conditions are checked when they are saved. */
export const SAMPLE_CALLER: DynamicCaller = { userPid: '0'.repeat(26), tenantId: '1', timeZone: UTC, roles: ['ADMIN'] };

const OF_CALLER = new Map<string, (caller: DynamicCaller) => unknown>([
  ['$me', ({ userPid }) => userPid],
  ['$user.pid', ({ userPid }) => userPid],
  ['$user.email', ({ userPid }) => new EmailOfCaller(userPid)],
  ['$user.tenantId', ({ tenantId }) => tenantId],
  ['$user.roles', ({ roles }) => [...roles]],
]);
const OF_TIME = /^\$(now|today)(?:\((.*)\))?$/s;
const OFFSET = /^([+-]?\d{1,5})(s|m|h|d|w|mo|y)$/;
const KNOWN = [...OF_CALLER.keys(), '$now', '$today'].join(', ');

/** Whether a value can stand for another one later, though the caller's roles are the same. */
export function varies(value: unknown): boolean {
  return /"\$(?:now|today|user\.email)/.test(JSON.stringify(value ?? null));
}

const MS = { s: 1_000, m: 60_000, h: 3_600_000 };
const DAYS = { d: 1, w: 7 };

/** The variables of one statement: all of them stand for the same moment. */
export class Variables {
  readonly #caller: DynamicCaller;
  readonly #now = new Date();
  /** Whether a text that only looks like a variable stands for itself, as data sources may write it. */
  readonly lenient: boolean;
  /** Whether any value was one: the same conditions may find something else for others, and later. */
  used = false;

  constructor(caller: DynamicCaller, { lenient = false } = {}) {
    this.#caller = caller;
    this.lenient = lenient;
  }

  /** As `dynamicValue`. */
  valueOf(value: unknown, type: FieldType): Checked | null {
    const found = dynamicValue(value, type, this.#caller, this.#now);
    this.used ||= found !== null;
    return found;
  }
}

/**
 * What a value of a condition stands for: a variable for the caller or the time, `$$name` for the text
 * `$name`; null where it stands for itself.
 * @param type of the field: `$now` is a day for a date, `$today` its beginning for a datetime, in the
 *   caller's time zone
 */
export function dynamicValue(value: unknown, type: FieldType, caller: DynamicCaller, now: Date): Checked | null {
  if (typeof value !== 'string' || !/^\$\$?[a-z]/i.test(value)) return null;
  if (value.startsWith('$$')) return { value: value.slice(1) };
  const ofCaller = OF_CALLER.get(value);
  if (ofCaller) return { value: ofCaller(caller) };
  const [, base, given] = OF_TIME.exec(value) ?? [];
  const variable = value.slice(0, 40);
  if (base === undefined)
    return {
      problem: withSuggestion(
        text('must not name {variable}: known are {known}', { variable, known: KNOWN }),
        variable,
        KNOWN.split(', '),
      ),
    };
  const { offset, timeZone = caller.timeZone, problem } = argumentsOf(given, variable);
  if (problem !== undefined) return { problem };
  const start = base === 'now' ? now : startOfDay(dayIn(now, timeZone), timeZone);
  const moment = offset === undefined ? start : shifted(start, offset, timeZone);
  if (!(moment.getUTCFullYear() >= 100 && moment.getUTCFullYear() <= 9999)) {
    return { problem: text('{variable} is beyond the years that can be stored', { variable }) };
  }
  const isDay = type === 'date' || (type !== 'datetime' && base === 'today');
  return { value: isDay ? dayIn(moment, timeZone) : moment.toISOString() };
}

/** What stands between the parentheses: an offset, a time zone, or both in this order. */
function argumentsOf(
  given: string | undefined,
  variable: string,
): {
  readonly offset?: string;
  readonly timeZone?: string;
  readonly problem?: Message;
} {
  if (given === undefined) return {};
  const [first = '', second] = given.split(',').map((one) => one.trim());
  const [offset, timeZone] = second === undefined && isTimeZone(first) ? [undefined, first] : [first, second];
  if (offset !== undefined && !OFFSET.test(offset)) {
    return {
      problem: text('{variable} needs an offset such as -7d: a whole number and s, m, h, d, w, mo or y', { variable }),
    };
  }
  if (timeZone !== undefined && !isTimeZone(timeZone))
    return { problem: text('{variable} names no time zone such as Asia/Shanghai', { variable }) };
  return { ...(offset !== undefined && { offset }), ...(timeZone !== undefined && { timeZone }) };
}

/** Days and longer are those of the calendar: the clocks show the same before and after. */
function shifted(start: Date, offset: string, timeZone: string): Date {
  const [, count = '', unit = ''] = OFFSET.exec(offset) ?? [];
  if (unit in MS) return new Date(start.getTime() + Number(count) * MS[unit as keyof typeof MS]);
  const moved = wallClock(start, timeZone);
  if (unit in DAYS) moved.setUTCDate(moved.getUTCDate() + Number(count) * DAYS[unit as keyof typeof DAYS]);
  else moveByMonths(moved, Number(count) * (unit === 'y' ? 12 : 1));
  // A year without four digits is refused.
  return Number.isNaN(moved.getTime()) ? moved : momentAt(moved, timeZone);
}

function moveByMonths(moved: Date, months: number): void {
  const day = moved.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  // The 31st of a month that has 30 days is its last one.
  const daysInMonth = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(day, daysInMonth));
}
