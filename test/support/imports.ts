import { call, type Answered } from './api.ts';
import { until } from './faults.ts';
import { upload } from './files.ts';
import type { TestUser } from './world.ts';

const ENDED = ['SUCCEEDED', 'FAILED', 'CANCELLED'];

interface AskedImport {
  readonly pageKey: string;
  readonly content: Buffer | string;
  readonly body: object;
  readonly format?: string;
  readonly baseUrl?: string;
}

/** Uploads a file, and asks for its import. */
export async function askForImport(
  user: TestUser,
  { pageKey, content, body, format = 'csv', baseUrl }: AskedImport,
): Promise<Answered> {
  const at = baseUrl === undefined ? {} : { baseUrl };
  const type = format === 'csv' ? 'text/csv' : 'application/octet-stream';
  const file = await upload(user, content, { name: `a.${format}`, type, ...at });
  const asked = { filePid: file.body.data.pid, format, ...body };
  return call(`/api/dynamic/${pageKey}/imports`, { token: user.token, body: asked, ...at });
}

export async function importStateOf(user: TestUser, pid: string) {
  return (await call(`/api/imports/${pid}`, { token: user.token })).body.data;
}

/** An import once it has ended, its report included. */
export function endedImport(user: TestUser, pid: string) {
  return until(`the import ${pid} ends`, async () => {
    const state = await importStateOf(user, pid);
    return ENDED.includes(state.status) && (state.failed === 0 || state.errorFilePid !== null) ? state : null;
  });
}
