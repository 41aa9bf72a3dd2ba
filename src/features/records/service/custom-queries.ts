import type { Language } from '../../../foundation/i18n/languages.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';

/** A named query with the values of its typed parameters. */
export interface CustomQuery {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly maxItems: number;
  readonly language: Language;
}

/** Named queries of the configuration: data sources. */
export interface CustomQueries {
  /**
   * @throws NOT_FOUND for one that does not read the model; FORBIDDEN, and whatever the query's kind throws
   */
  rowsOfModel(actor: Actor, modelCode: string, query: CustomQuery): Promise<readonly object[]>;
}
