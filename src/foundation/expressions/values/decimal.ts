import type { Template } from '../../i18n/text.ts';
/** Digits of a decimal field before and after the point. */
export const MAX_WHOLE = 30;
export const MAX_SCALE = 20;
const MAX_TEXT = 100;
const TEXT = /^-?\d+(?:\.\d+)?$/;

/** A decimal outside of what fields hold, or a text that is none. */
class DecimalError extends Error {
  constructor(message: Template) {
    super(message);
  }
}

/** An exact decimal number: what a `decimal` or `bigint` field is in expressions. */
export class Decimal {
  /** The number is `digits` divided by 10 to the power of `scale`. */
  readonly digits: bigint;
  readonly scale: number;

  constructor(digits: bigint, scale: number) {
    const places = Math.max(scale - MAX_SCALE, 0);
    this.digits = places === 0 ? digits : rounded(digits, 10n ** BigInt(places));
    this.scale = scale - places;
    if (this.digits.toString().length > MAX_WHOLE + this.scale + 1) throw new DecimalError('the decimal is too large');
  }

  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale);
    const [left, right] = [this.#at(scale), other.#at(scale)];
    return left < right ? -1 : left > right ? 1 : 0;
  }

  isAmong(values: readonly unknown[]): boolean {
    return values.some((value) => {
      const parsed = parseDecimal(value);
      return parsed !== null && this.compare(parsed) === 0;
    });
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.#at(scale) + other.#at(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.digits, other.scale));
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.digits * other.digits, this.scale + other.scale);
  }

  /** Rounded to 20 places. */
  dividedBy(other: Decimal): Decimal {
    if (other.digits === 0n) throw new DecimalError('division by zero');
    const dividend = this.digits * 10n ** BigInt(MAX_SCALE + other.scale - this.scale);
    return new Decimal(rounded(dividend, other.digits), MAX_SCALE).#trimmed();
  }

  /** Half away from zero, as Postgres rounds. */
  roundedTo(places: number): Decimal {
    if (this.scale <= places) return this;
    return new Decimal(rounded(this.digits, 10n ** BigInt(this.scale - places)), places);
  }

  /** With exactly so many places, rounded where it has more. */
  withPlaces(places: number): Decimal {
    return new Decimal(this.roundedTo(places).#at(places), places);
  }

  toString(): string {
    const text = String(this.digits < 0n ? -this.digits : this.digits).padStart(this.scale + 1, '0');
    const point = text.length - this.scale;
    const places = this.scale === 0 ? '' : `.${text.slice(point)}`;
    return `${this.digits < 0n ? '-' : ''}${text.slice(0, point)}${places}`;
  }

  toJSON(): string {
    return this.toString();
  }

  #at(scale: number): bigint {
    return this.digits * 10n ** BigInt(scale - this.scale);
  }

  #trimmed(): Decimal {
    let { digits, scale } = this;
    while (scale > 0 && digits % 10n === 0n) {
      digits /= 10n;
      scale -= 1;
    }
    return new Decimal(digits, scale);
  }
}

/** @returns null for what is no decimal number */
export function parseDecimal(value: unknown): Decimal | null {
  if (value instanceof Decimal) return value;
  if (typeof value === 'bigint') return new Decimal(value, 0);
  const text = typeof value === 'number' && Number.isFinite(value) ? withoutExponent(value) : value;
  if (typeof text !== 'string' || text.length > MAX_TEXT || !TEXT.test(text)) return null;
  const [whole = '', places = ''] = text.split('.');
  return new Decimal(BigInt(whole + places), places.length);
}

/** @throws DecimalError */
export function toDecimal(value: unknown): Decimal {
  const parsed = parseDecimal(value);
  if (!parsed) throw new DecimalError('is not a decimal number');
  return parsed;
}

/** Half away from zero, as Postgres rounds. */
function rounded(digits: bigint, divisor: bigint): bigint {
  const quotient = digits / divisor;
  const rest = digits % divisor;
  const isUp = 2n * (rest < 0n ? -rest : rest) >= (divisor < 0n ? -divisor : divisor);
  return isUp ? quotient + (digits < 0n === divisor < 0n ? 1n : -1n) : quotient;
}

/** JavaScript writes very small and very large numbers with an exponent. */
function withoutExponent(number: number): string {
  const text = String(number);
  if (!text.includes('e')) return text;
  return Number.isInteger(number) ? BigInt(number).toString() : number.toFixed(MAX_SCALE);
}
