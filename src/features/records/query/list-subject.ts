import type { Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import type { View } from '../view-content.ts';

/** What is listed, for whom, and through which page. */
export interface ListSubject {
  /** Null where it is none. */
  readonly pageKey: string | null;
  readonly model: Model;
  readonly actor: Actor;
  /** The view that the request names, once it has been found. */
  readonly view?: View | null;
}
