import type { ExportEntry } from '../../../environments/environment-export.ts';
import { MODEL } from '../../../../platform/metadata/models/model-type.ts';
import { toModel, type Model } from '../../../../platform/metadata/models/model.ts';
import { isOfType, type Reference } from '../../../../platform/metadata/resources/resource-type.ts';

type Name = Pick<ExportEntry, 'resourceType' | 'code'>;

/** Resources by type and code. */
export class ResourceIndex<Entry extends Name = ExportEntry> {
  readonly #entries = new Map<string, Entry>();
  readonly #models = new Map<Entry, Model>();

  constructor(entries: Iterable<Entry>) {
    for (const entry of entries) {
      const name = nameOf(entry);
      if (!this.#entries.has(name)) this.#entries.set(name, entry);
    }
  }

  find(name: Name): Entry | undefined {
    return this.#entries.get(nameOf(name));
  }

  /** Whether these resources have what is referred to. */
  fulfils(this: ResourceIndex, reference: Reference): boolean {
    const found = this.find(reference);
    if (!found || reference.field === undefined) return found !== undefined;
    return this.#modelOf(found)?.fields.has(reference.field) ?? false;
  }

  #modelOf(this: ResourceIndex, entry: ExportEntry): Model | undefined {
    if (!isOfType(entry, MODEL)) return undefined;
    const model = this.#models.get(entry) ?? toModel('target', entry.code, entry.content);
    this.#models.set(entry, model);
    return model;
  }
}

function nameOf({ resourceType, code }: Name): string {
  return `${resourceType}/${code}`;
}
