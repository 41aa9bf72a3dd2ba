import { unavailable } from '../../../foundation/errors/application-error.ts';
import type { FileStore, StoreName } from './file-store.ts';

/** The stores that this installation has. New files go to the first; each file stays where it is. */
export class FileStores {
  readonly names: readonly StoreName[];
  readonly #stores: ReadonlyMap<StoreName, FileStore>;

  constructor(stores: readonly (readonly [StoreName, FileStore])[]) {
    this.names = stores.map(([name]) => name);
    this.#stores = new Map(stores);
  }

  /** The name of the store for new files. */
  get preferred(): StoreName {
    return this.names[0] ?? 'postgres';
  }

  /** @throws SERVICE_UNAVAILABLE for a store that is not configured any more */
  get(name: StoreName): FileStore {
    const store = this.#stores.get(name);
    if (!store) throw unavailable(name);
    return store;
  }
}
