import type { Language } from '../../../foundation/i18n/languages.ts';
import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';

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
  accept(actor: Actor, model: Model, asked: ImportRequest): Promise<{ readonly pid: string }>;
}
