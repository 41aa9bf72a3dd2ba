import { setTimeout as sleep } from 'node:timers/promises';
import { modelDrafts, type Attack } from './attack.ts';

const MODEL = 'hostile_import';
const FIELDS = [
  { code: 'name', type: 'string' },
  { code: 'data', type: 'json' },
];
const ROWS = 249;
const BOUNDARY = 'hostile';
const PAUSE_MS = 2_000;
let pid = '';

/** A small file that changes one large record again and again. */
export const importedWrites: Attack = {
  name: 'imported-writes',

  async prepare({ save, insert }) {
    await save(...modelDrafts(MODEL, FIELDS));
    [pid = ''] = await insert(MODEL, [{ name: 'n', data: 'x'.repeat(800_000) }]);
  },

  async attack(target) {
    const rows = Array.from({ length: ROWS }, (_, index) => `${pid},n${index}`);
    const part = 'Content-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv';
    const body = `--${BOUNDARY}\r\n${part}\r\n\r\npid,name\n${rows.join('\n')}\n\r\n--${BOUNDARY}--\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const { start } = await target.send({ method: 'POST', path: '/api/files', body, headers });
    const filePid = /"pid":"(\w+)"/.exec(start)?.[1];
    const asked = { filePid, format: 'csv', mode: 'update', matchOn: 'pid' };
    await target.send({ method: 'POST', path: `/api/dynamic/${MODEL}/imports`, body: asked });
    // A user may have five under way.
    await sleep(PAUSE_MS);
  },
};
