import type { Actor } from '../../platform/auth/requests/actor.ts';
import { DATASOURCE } from './datasource-type.ts';
import type { RowSources } from './kinds/kind.ts';
import { kindOf } from './kinds/kinds.ts';

/** Reads data sources. */
export class DataSources {
  readonly #from: RowSources;

  constructor(from: RowSources) {
    this.#from = from;
  }

  /**
   * The first rows of a data source, as the actor may see them. Spec: `GET /api/datasource/list`.
   * @throws NOT_FOUND for an unknown code; FORBIDDEN with `data.permission` where it names a field that the
   *   actor may not read; CONFLICT with `data.reason` DATASOURCE where it cannot be evaluated;
   *   SERVICE_UNAVAILABLE and BAD_GATEWAY where another service is asked
   */
  async rows(actor: Actor, code: string, maxItems: number): Promise<object[]> {
    const source = actor.metadata.get(DATASOURCE, code);
    return kindOf(source).rows(source, actor, maxItems, this.#from);
  }
}
