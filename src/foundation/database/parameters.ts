/** Collects the values of one statement; SQL text only ever holds the `$n` it gives back. */
export class Parameters {
  readonly values: unknown[];

  constructor(values: readonly unknown[] = []) {
    this.values = [...values];
  }

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** The same values, to which others are added for another statement. */
  copy(): Parameters {
    return new Parameters(this.values);
  }
}
