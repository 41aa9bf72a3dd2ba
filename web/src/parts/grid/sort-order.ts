import type { SortField } from '@keelson/client';

/** Order of a list as it is in the address: `-amount,name`. */
export function parseSort(text: string | undefined): SortField[] {
  return (text ?? '')
    .split(',')
    .filter((one) => one !== '')
    .map((one) =>
      one.startsWith('-') ? { fieldName: one.slice(1), order: 'desc' } : { fieldName: one, order: 'asc' },
    );
}

export function writeSort(fields: readonly SortField[]): string | undefined {
  const text = fields.map(({ fieldName, order }) => (order === 'desc' ? `-${fieldName}` : fieldName)).join(',');
  return text === '' ? undefined : text;
}

/** Ascending, descending, then the order of the page again. */
export function nextSort(text: string | undefined, code: string): string | undefined {
  const [first] = parseSort(text);
  if (first?.fieldName !== code) return code;
  return first.order === 'asc' ? `-${code}` : undefined;
}
