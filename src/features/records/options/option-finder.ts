import { notFound } from '../../../foundation/errors/application-error.ts';
import { translateName, type Language } from '../../../foundation/i18n/languages.ts';
import type { UserLookup } from '../../../platform/auth/accounts/user-lookup.ts';
import { authorise, type Actor } from '../../../platform/auth/requests/actor.ts';
import type { Model } from '../../../platform/metadata/models/model.ts';
import { USER_LOOKUP } from '../../../platform/metadata/permissions/permission-codes.ts';
import { isReadable } from '../query/field-selection.ts';
import { queryOfBody } from '../query/record-query.ts';
import { relationOf } from '../query/related-fields.ts';
import { MAX_OPTION_LABEL, MAX_OPTIONS } from '../records.limits.ts';
import type { RecordsService } from '../records.service.ts';

/** A value that a field may have, and what people call it. */
interface Option {
  readonly value: string;
  readonly label: string;
}

/** Finds what can be chosen for a field. */
export class OptionFinder {
  readonly #records: RecordsService;
  readonly #users: UserLookup;

  constructor(records: RecordsService, users: UserLookup) {
    this.#records = records;
    this.#users = users;
  }

  /**
   * @throws NOT_FOUND for a field without options, and alike for one that the caller may not read or whose
   *   records the caller may not read; FORBIDDEN for users, to who may not look them up
   */
  async find(actor: Actor, model: Model, code: string, keyword: string, language: Language): Promise<Option[]> {
    const field = model.fields.get(code);
    const { type, content } = field && isReadable(field, actor.permissions) ? field : {};
    if (type === 'enum') return valuesOf(content?.values ?? [], keyword, language);
    if (type === 'user') {
      authorise(actor, USER_LOOKUP);
      const users = await this.#users.find(actor.tenantId, keyword);
      return users.map(({ value, label }) => ({ value, label }));
    }
    const relation = relationOf(model, code, actor);
    if (!relation) throw notFound('There is no such field with options');
    return this.#recordsOf(relation.target, actor, keyword);
  }

  async #recordsOf(model: Model, actor: Actor, keyword: string): Promise<Option[]> {
    const label = labelOf(model, actor);
    const asked = { pageSize: MAX_OPTIONS, count: 'none' as const, fields: [label], ...(keyword && { keyword }) };
    const query = queryOfBody(asked, { pageKey: null, model, actor }, {});
    const { records } = await this.#records.list(actor, model, query);
    return records.map((record) => {
      const text = String(record[label] ?? record.pid);
      return { value: String(record.pid), label: text.slice(0, MAX_OPTION_LABEL).toWellFormed() };
    });
  }
}

function valuesOf(values: readonly string[], keyword: string, language: Language): Option[] {
  const wanted = keyword.toLowerCase();
  return values
    .map((value) => ({ value, label: translateName(value, language) }))
    .filter(({ value, label }) => [value, label].some((text) => text.toLowerCase().includes(wanted)));
}

/** The field by which people know a record of the model. */
function labelOf({ fields }: Model, { permissions }: Actor): string {
  const texts = [...fields.values()].filter(({ type }) => type === 'string' || type === 'text');
  return texts.find((field) => field.searchable && isReadable(field, permissions))?.code ?? 'pid';
}
