/** Collects the values of one statement; SQL text only ever holds the `$n` it gives back. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
