import { LRUCache } from 'lru-cache';
import type { PlatformOrm } from '../database/orm.ts';
import type { AutomationContent } from '../metadata/automation-content.ts';
import { ResourceVersionEntity } from '../metadata/resource.entity.ts';
import { Definition } from './definition.ts';
import type { RunRow } from './run-store.ts';

type Pin = Pick<RunRow, 'environment' | 'automation_code' | 'automation_pid' | 'version'>;

/** The definitions that runs are pinned to, whatever the environment has now. A version never changes. */
export class Definitions {
  readonly #orm: PlatformOrm;
  readonly #known = new LRUCache<string, Definition>({ max: 500 });

  constructor(orm: PlatformOrm) {
    this.#orm = orm;
  }

  /** @throws SERVICE_UNAVAILABLE */
  async of({ environment, automation_code: code, automation_pid: pid, version }: Pin): Promise<Definition> {
    const key = `${environment}/${pid}/${version}`;
    const known = this.#known.get(key);
    if (known) return known;
    const [row] = await this.#orm.em
      .fork()
      .find(ResourceVersionEntity, { environment, pid, version }, { orderBy: { id: 'desc' }, limit: 1 });
    if (!row?.content) throw new Error(`version ${version} of the automation ${code} is not there`);
    const definition = new Definition(code, row.content as AutomationContent);
    this.#known.set(key, definition);
    return definition;
  }
}
