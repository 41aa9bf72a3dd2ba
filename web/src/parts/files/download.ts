import { client } from '../../app/client.ts';

/** How long the browser may take to begin a download. */
const KEPT_MS = 60_000;

/** Saves what a request answers, with the caller's token, as a file of the reader's. @throws KeelsonError */
export async function download(
  path: string,
  name: string,
  query: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await client.send('GET', path, { query, headers });
  saveBlob(await response.blob(), name);
}

export function downloadFile(pid: string, name: string): Promise<void> {
  return download(`/api/files/${pid}`, name);
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
