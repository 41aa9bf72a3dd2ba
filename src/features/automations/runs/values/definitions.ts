import { LRUCache } from 'lru-cache';
import type { PlatformOrm } from '../../../../foundation/database/orm.ts';
import type { AutomationContent } from '../../definition/automation-content.ts';
import { ResourceVersionEntity } from '../../../../platform/metadata/resources/resource.entity.ts';
import { Definition } from '../../definition/definition.ts';
import type { RunRow } from '../rows/run-store.ts';

type Pin = Pick<RunRow, 'environment' | 'automationCode' | 'automationPid' | 'version'>;

/** Loads the definition that a run is pinned to. A version never changes, so it is cached for good. */
export class Definitions {
  readonly #orm: PlatformOrm;
  readonly #cache = new LRUCache<string, Definition>({ max: 500 });

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  /** @throws SERVICE_UNAVAILABLE */
  async of({ environment, automationCode: code, automationPid: pid, version }: Pin): Promise<Definition> {
    const key = `${environment}/${pid}/${version}`;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const [row] = await this.#orm.em
      .fork()
      .find(ResourceVersionEntity, { environment, pid, version }, { orderBy: { id: 'desc' }, limit: 1 });
    if (!row?.content) throw new Error(`version ${version} of the automation ${code} is not there`);
    const definition = new Definition(code, row.content as AutomationContent);
    this.#cache.set(key, definition);
    return definition;
  }
}
