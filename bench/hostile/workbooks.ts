import { HOSTILE_WORKBOOKS, workbook } from '../../test/support/workbooks.ts';
import { modelDrafts, type Attack, type Target } from './attack.ts';

const MODEL = 'hostile_workbooks';
const BOUNDARY = 'a-boundary-of-the-benchmark';
let files: readonly Buffer[] = [];

/** Small workbooks that unpack to very much: uploaded, and imported. */
export const workbooks: Attack = {
  name: 'workbooks',

  async prepare({ save }) {
    await save(...modelDrafts(MODEL, [{ code: 'name', type: 'string' }]));
    files = await Promise.all(HOSTILE_WORKBOOKS.map(([, , parts]) => workbook(parts())));
  },

  async attack(target) {
    await Promise.all(files.map((file) => uploadAndImport(target, file)));
  },
};

async function uploadAndImport(target: Target, file: Buffer): Promise<void> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const { start } = await target.send({ method: 'POST', path: '/api/files', body, headers });
  const [, filePid] = /"pid":"(\w+)"/.exec(start) ?? [];
  if (filePid === undefined) return;
  const asked = { filePid, format: 'xlsx', mapping: { name: 'name' } };
  await target.send({ method: 'POST', path: `/api/dynamic/${MODEL}/imports`, body: asked });
}
