/** Where an import stands is in the address: it goes on after a reload. */
export interface ImportSearch {
  /** Pid of the uploaded file. */
  readonly file?: string | undefined;
  readonly format?: ImportFormat | undefined;
  /** Pid of the import that was begun. */
  readonly pid?: string | undefined;
}

export const IMPORT_FORMATS = ['csv', 'xlsx', 'ndjson'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Reads an address that anyone may have written. */
export function parseImportSearch(given: Readonly<Record<string, unknown>>): ImportSearch {
  const { file, format, pid } = given;
  const known = IMPORT_FORMATS.find((one) => one === format);
  return {
    ...(typeof file === 'string' && known && { file, format: known }),
    ...(typeof pid === 'string' && { pid }),
  };
}

/** By the end of a name; JSON lines have several. */
export function formatOf(fileName: string): ImportFormat | null {
  const end = fileName.toLowerCase().split('.').pop() ?? '';
  if (end === 'jsonl') return 'ndjson';
  return IMPORT_FORMATS.find((format) => format === end) ?? (['txt', 'tsv'].includes(end) ? 'csv' : null);
}
