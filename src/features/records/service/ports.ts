import type { Language } from '../../../foundation/i18n/languages.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';

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

/** An uploaded file whose rows become records of a page's model. */
export interface ImportRequest {
  readonly pageKey: string;
  /** The language of its report. */
  readonly language: Language;
  /** As the body of `POST /api/dynamic/{pageKey}/imports`. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Work on files, by commands, which stand on records. */
export interface RecordImports {
  /**
   * @param model narrowed by the page
   * @throws VALIDATION_ERROR, FORBIDDEN, PRECONDITION_REQUIRED; CONFLICT (LIMIT); SERVICE_UNAVAILABLE with
   * nothing accepted
   */
  accept(actor: Actor, model: Model, request: ImportRequest): Promise<{ readonly pid: string }>;
}
