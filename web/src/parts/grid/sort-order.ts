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

/** Ascending, descending, then the order of the page again. @param usual that of the page */
export function nextSort(text: string | undefined, code: string, usual: string | undefined): string | undefined {
  const [first] = parseSort(text ?? usual);
  const after = text === undefined ? code : undefined;
  const next = first?.fieldName !== code ? code : first.order === 'asc' ? `-${code}` : after;
  return next === usual ? undefined : next;
}
