import { withSuggestion } from '../../../foundation/validation/similar.ts';
import { text, type Message } from '../../../foundation/i18n/text.ts';
import { FIXED_CODES, PERMISSION_FAMILIES } from './permission-codes.ts';

/** The codes that protect something, and the wildcards that stand for such. */
export class KnownPermissions {
  readonly #codes: ReadonlySet<string>;
  readonly #prefixes = new Set<string>();

  /** @param made codes that resources make, and others beside the fixed ones */
  constructor(made: Iterable<string>) {
    this.#codes = new Set([...FIXED_CODES, ...made]);
    for (const code of [...this.#codes, ...PERMISSION_FAMILIES]) {
      const segments = code.split(':');
      segments.forEach((_, index) => this.#prefixes.add(segments.slice(0, index + 1).join(':')));
    }
  }

  /** What is wrong with a code, or null. */
  problemOf(code: string): Message | null {
    if (code === '*' || this.#codes.has(code)) return null;
    if (code.endsWith(':*') && this.#prefixes.has(code.slice(0, -':*'.length))) return null;
    return withSuggestion(text('{code} protects nothing', { code }), code, this.#codes);
  }
}
