import { createHash } from 'node:crypto';

/**
 * A statement gets a server-side name (parse and plan once) after its third use; at most this many get one.
 */
const MAX_NAMED_STATEMENTS = 500;
const USES_BEFORE_NAMED = 3;
/**
 * A plan that serves every pattern reads everything: a statement with patterns is planned for each of them.
 */
const PATTERN = /(?:like|~~\*\)) \$\d/;

/** Decides which statements Postgres keeps prepared. */
export class StatementNames {
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** @returns undefined for a statement that is parsed and planned anew */
  of(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined) return name;
    if (this.#names.size >= MAX_NAMED_STATEMENTS) return undefined;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses <= USES_BEFORE_NAMED) this.#remember(text, uses);
    else if (!PATTERN.test(text)) return this.#give(text);
    return undefined;
  }

  #give(text: string): string {
    const name = `k_${createHash('sha1').update(text).digest('hex')}`;
    this.#names.set(text, name);
    this.#uses.delete(text);
    return name;
  }

  #remember(text: string, uses: number): void {
    // Shapes that never earn a name make room again, so that odd filters cannot grow this map without bound.
    if (this.#uses.size > MAX_NAMED_STATEMENTS * 4) this.#uses.clear();
    this.#uses.set(text, uses);
  }
}
