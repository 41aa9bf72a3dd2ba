import type { Words } from './words.ts';

/**
 * Invents a person.
 * @param n up to 56 people of a country have different names
 */
export function person({ people }: Words, n: number, country?: string) {
  const group = people.find(({ countries }) => country && countries.includes(country)) ?? at(people, n);
  const [first, firstLatin] = script(at(group.first, n));
  const [last, lastLatin] = script(at(group.last, n));
  return {
    name: group.familyNameFirst ? `${last}${first}` : `${first} ${last}`,
    handle: `${ascii(firstLatin)}.${ascii(lastLatin)}`,
    language: group.language,
    country: country ?? at(group.countries, n),
  };
}

function script(name: string): [native: string, latin: string] {
  const [native = name, latin = native] = name.split('=');
  return [native, latin];
}

const UNACCENTED: Record<string, string> = { ß: 'ss', ø: 'o', ł: 'l', ı: 'i', æ: 'ae' };

function ascii(name: string): string {
  const plain = name.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  return plain.replace(/[^a-z]/g, (letter) => UNACCENTED[letter] ?? '');
}

/** Item at an index modulo the length of the list. */
export function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length]!;
}
