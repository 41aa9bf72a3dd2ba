import type { FilterContent } from '../../metadata/content.ts';
import type { KnownField, KnownModel, Toolbox } from '../toolbox.ts';
import { enumValueAt, fieldAt } from './lexicon.ts';
import { periodAt } from './period.ts';
import { BOUNDARIES, EXTREMES, FILLERS, NEWEST, OLDEST, OPERATORS, type Operator } from './phrasebook.ts';
import { isNumeric, isoDay, numberOf, valueOf } from './value.ts';
import { matchAt, textOfWords, type Word } from './words.ts';

/** What a question asks of a model's records, and how to say it back. */
export interface Search {
  readonly filters: FilterContent[];
  readonly said: string[];
  readonly keyword: string | null;
  readonly sort: { readonly fieldName: string; readonly order: 'asc' | 'desc' } | null;
  readonly limit: number | null;
  /** Words that mean nothing here. A question that has some is not answered: they might have changed the answer. */
  readonly unknown: readonly string[];
}

/** Reads what a question asks of a model's records, word by word from the left. */
export class ConditionReader {
  readonly #words: readonly Word[];
  readonly #model: KnownModel;
  readonly #user: Toolbox['user'];
  readonly #now: Date;
  #at = 0;
  #filters: FilterContent[] = [];
  #said: string[] = [];
  #keyword: string | null = null;
  #sort: Search['sort'] = null;
  #sortedBy: KnownField | null = null;
  #limit: number | null = null;
  #unknown: string[] = [];

  /** @param words without those that name the model */
  constructor(words: readonly Word[], model: KnownModel, user: Toolbox['user'], now: Date) {
    this.#words = words;
    this.#model = model;
    this.#user = user;
    this.#now = now;
  }

  read(): Search {
    const rules = [
      () => this.#named(),
      () => this.#time(),
      () => this.#own(),
      () => this.#without(),
      () => this.#order(),
      () => this.#field(),
      () => this.#enumValues(),
      () => this.#amount(),
      () => this.#count(),
      () => this.#filler(),
    ];
    while (this.#at < this.#words.length) {
      if (rules.some((rule) => rule())) continue;
      this.#unknown.push((this.#words[this.#at] as Word).raw);
      this.#at += 1;
    }
    const field = this.#sortedBy;
    if (field) this.#said.push(`by ${field.name}`);
    // Records without the value have no place in that order.
    if (field && isNumeric(field)) this.#filters.push({ fieldName: field.code, operator: 'is_not_null' });
    const parts = { filters: this.#filters, said: this.#said, keyword: this.#keyword };
    return { ...parts, sort: this.#sort, limit: this.#limit, unknown: this.#unknown };
  }

  get #low(): string {
    return this.#words[this.#at]?.low ?? '';
  }

  #take(...phrases: readonly string[]): string | null {
    for (const phrase of phrases) {
      const length = matchAt(this.#words, this.#at, phrase.split(' '));
      if (length === 0) continue;
      this.#at += length;
      return phrase;
    }
    return null;
  }

  #add(field: KnownField, operator: string, value: unknown, said: string): true {
    this.#filters.push({ fieldName: field.code, operator, ...(value !== undefined && { value }) });
    this.#said.push(said);
    return true;
  }

  /** `named X`, `"X"`: a text anywhere in what can be searched. */
  #named(): boolean {
    const isQuoted = this.#words[this.#at]?.quoted ?? false;
    if (!isQuoted && !this.#take('named', 'called', 'titled', 'matching', 'about')) return false;
    const words = isQuoted ? [this.#words[this.#at++] as Word] : this.#untilBoundary();
    if (words.length === 0) return false;
    this.#keyword = textOfWords(words);
    this.#said.push(`matching "${this.#keyword}"`);
    return true;
  }

  /** `created today`, `due this week`, `last 7 days`, `overdue`. */
  #time(): boolean {
    const start = this.#at;
    const prefix = this.#take('created', 'added', 'updated', 'changed', 'due', 'overdue');
    const due = this.#model.fields.find(({ type, code }) => type === 'date' && /due/.test(code));
    if (prefix === 'overdue') {
      const today = isoDay(this.#now);
      if (due) return this.#add(due, 'lt', today, `${due.name} before ${today}`);
      this.#at = start;
      return false;
    }
    const code = prefix === 'updated' || prefix === 'changed' ? 'updated_at' : 'created_at';
    const field = prefix === 'due' ? due : this.#model.fields.find((one) => one.code === code);
    this.#take('in the', 'within the', 'in', 'on', 'since');
    const period = periodAt(this.#words, this.#at, this.#now);
    if (!field || !period) {
      this.#at = start;
      return false;
    }
    const { from, to, said } = period;
    this.#at += period.length;
    const [first, last] = field.type === 'date' ? [from.slice(0, 10), to.slice(0, 10)] : [from, to];
    this.#add(field, 'gte', first, `${prefix ?? 'created'} ${said}`);
    this.#filters.push({ fieldName: field.code, operator: 'lt', value: last });
    return true;
  }

  /** `my`, `mine`: whose owner the user is, else what they have made. */
  #own(): boolean {
    if (!this.#take('my', 'mine')) return false;
    const owner = this.#model.fields.find(({ code }) => code === 'owner');
    if (owner) return this.#add(owner, 'eq', this.#user.username, `owned by ${this.#user.username}`);
    const maker = this.#model.fields.find(({ code }) => code === 'created_by');
    return maker ? this.#add(maker, 'eq', this.#user.pid, 'that you made') : false;
  }

  /** `without an email`, `with a phone`: whether there is a value. */
  #without(): boolean {
    const start = this.#at;
    const is = this.#take('without', 'with no', 'missing', 'have no', 'has no', 'with', 'having', 'have', 'has');
    if (!is) return false;
    this.#take('a', 'an', 'any', 'the');
    const found = fieldAt(this.#words, this.#at, this.#model.fields);
    const next = this.#at + (found?.length ?? 0);
    const isLacking = / no$|^without$|^missing$/.test(is);
    if (
      found &&
      (isLacking ||
        (this.#words[next]?.low !== 'between' && !this.#operatorAt(next) && !this.#hasValueAt(found.meaning, next)))
    ) {
      this.#at = next;
      const operator = isLacking ? 'is_null' : 'is_not_null';
      return this.#add(found.meaning, operator, undefined, `${isLacking ? 'without' : 'with'} ${found.meaning.name}`);
    }
    this.#at = start;
    return false;
  }

  #order(): boolean {
    const start = this.#at;
    if (this.#take('sorted by', 'ordered by', 'order by', 'sort by', 'by')) {
      const found = fieldAt(this.#words, this.#at, this.#model.fields);
      if (found) {
        this.#at += found.length;
        const isAscending = this.#take('ascending', 'asc') !== null;
        this.#take('descending', 'desc');
        return this.#sortBy(found.meaning, isAscending ? 'asc' : 'desc');
      }
      this.#at = start;
      return false;
    }
    this.#take('most');
    const order = NEWEST[this.#low] ?? OLDEST[this.#low];
    if (order) {
      this.#at += 1;
      this.#sort = { fieldName: 'created_at', order };
      return true;
    }
    const extreme = EXTREMES[this.#low];
    const numeric = this.#model.fields.filter((field) => field.type === 'decimal');
    const named = extreme && fieldAt(this.#words, this.#at + 1, this.#model.fields);
    const field = named ? named.meaning : numeric.length === 1 ? numeric[0] : undefined;
    if (!extreme || !field) {
      this.#at = start;
      return false;
    }
    this.#at += 1 + (named ? named.length : 0);
    return this.#sortBy(field, extreme);
  }

  /** Said twice (`top 5 by score`), the second is meant. */
  #sortBy(field: KnownField, order: 'asc' | 'desc'): true {
    this.#sort = { fieldName: field.code, order };
    this.#sortedBy = field;
    return true;
  }

  /** `amount over 1000`, `status is open`, `owner is Nadia`, `amount between 1 and 5`. */
  #field(): boolean {
    const found = fieldAt(this.#words, this.#at, this.#model.fields);
    if (!found) return false;
    const { meaning: field, length } = found;
    const start = this.#at;
    this.#at += length;
    if (this.#take('is empty', 'is missing', 'is not set', 'is null')) {
      return this.#add(field, 'is_null', undefined, `without ${field.name}`);
    }
    if (this.#take('is between', 'between')) {
      const [low, and, high] = this.#words.slice(this.#at, this.#at + 3);
      const ends = [low, high].map((word) => valueOf(field, word ? [word] : [], this.#now));
      if (and?.low === 'and' && ends.every((end) => end !== undefined)) {
        this.#at += 3;
        return this.#add(field, 'between', ends, `${field.name} between ${String(ends[0])} and ${String(ends[1])}`);
      }
    }
    const operator = this.#operatorAt(this.#at);
    if (operator) this.#at += operator[0].split(' ').length;
    if (this.#compare(field, operator)) return true;
    this.#at = start;
    return false;
  }

  #compare(field: KnownField, given: Operator | undefined): boolean {
    const [, operator, said] = given ?? ['is', 'eq', 'is'];
    const isText = field.values.length === 0 && (field.type === 'string' || field.type === 'text');
    const words =
      isText && !this.#words[this.#at]?.quoted ? this.#untilBoundary(true) : this.#words.slice(this.#at, this.#at + 1);
    const value = valueOf(field, words, this.#now);
    if (value === undefined) return false;
    this.#at += words.length;
    // People do not mind the case of names, and often write a part of them.
    const used = isText && operator === 'eq' ? 'ilike' : operator;
    const shown = isText && operator === 'eq' ? 'contains' : said;
    if (isText && operator === 'ne') {
      this.#filters.push({ not: { fieldName: field.code, operator: 'ilike', value } });
      this.#said.push(`${field.name} not "${String(value)}"`);
      return true;
    }
    return this.#add(field, used, value, `${field.name} ${shown} ${isText ? `"${String(value)}"` : String(value)}`);
  }

  /** `open`, `new or open`, `not won`: values of an enum, by themselves. */
  #enumValues(): boolean {
    const start = this.#at;
    const isNot = this.#take('not', 'except') !== null;
    const first = enumValueAt(this.#words, this.#at, this.#model.fields);
    if (!first) {
      this.#at = start;
      return false;
    }
    const values = [first.value];
    this.#at += first.length;
    for (;;) {
      const before = this.#at;
      const joint = this.#take('or', 'and', ',');
      const next = joint ? enumValueAt(this.#words, this.#at, [first.field]) : null;
      if (!next) {
        this.#at = before;
        break;
      }
      values.push(next.value);
      this.#at += next.length;
    }
    const said = `${first.field.name.toLowerCase()} ${isNot ? 'not ' : ''}${values.join(' or ')}`;
    if (values.length > 1) return this.#add(first.field, isNot ? 'not_in' : 'in', values, said);
    return this.#add(first.field, isNot ? 'ne' : 'eq', first.value, said);
  }

  /** `over 1000` without a field, where only one can be meant. */
  #amount(): boolean {
    const operator = this.#operatorAt(this.#at);
    const number = operator && numberOf(this.#words[this.#at + operator[0].split(' ').length]?.raw ?? '');
    const fields = this.#model.fields.filter((field) => isNumeric(field) && field.type === 'decimal');
    const [field] = fields;
    if (!operator || number === null || number === undefined || !field || fields.length > 1) return false;
    this.#at += operator[0].split(' ').length;
    return this.#compare(field, operator);
  }

  /** `5`, `first 5`: how many to show. */
  #count(): boolean {
    const start = this.#at;
    this.#take('first', 'top', 'only');
    const number = /^\d{1,3}$/.test(this.#low) ? Number(this.#low) : null;
    if (number === null || number < 1) {
      this.#at = start;
      return false;
    }
    this.#limit = number;
    this.#at += 1;
    return true;
  }

  #filler(): boolean {
    if (!FILLERS.has(this.#low)) return false;
    this.#at += 1;
    return true;
  }

  #operatorAt(at: number): Operator | undefined {
    return OPERATORS.find(([phrase]) => matchAt(this.#words, at, phrase.split(' ')) > 0);
  }

  #hasValueAt(field: KnownField, at: number): boolean {
    const word = this.#words[at];
    return word !== undefined && !BOUNDARIES.has(word.low) && valueOf(field, [word], this.#now) !== undefined;
  }

  /** @param peek leaves them where they are */
  #untilBoundary(peek = false): Word[] {
    let end = this.#at;
    while (end < this.#words.length && !BOUNDARIES.has((this.#words[end] as Word).low)) end += 1;
    const words = this.#words.slice(this.#at, end);
    if (!peek) this.#at = end;
    return words;
  }
}
