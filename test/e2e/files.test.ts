import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { call } from '../support/api.ts';
import {
  collectFiles,
  download,
  expireFiles,
  multipart,
  NOTHING_STORED,
  sendMultipart,
  sha256,
  storedFiles,
  upload,
} from '../support/files.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

/** Spans four chunks, the last one not full. */
const BYTES = randomBytes(900_000);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const ZIP = Buffer.from('504b0304140000000000000021000000000000000000000000000000', 'hex');

let tenant: TestTenant;
let ada: TestUser;

beforeAll(async () => {
  tenant = await newTenant();
  ada = await newUser([], tenant);
});

const info = ({ token }: TestUser, pid: string) => call(`/api/files/${pid}/info`, { token });
const remove = ({ token }: TestUser, pid: string) => call(`/api/files/${pid}`, { token, method: 'DELETE' });

describe('POST /api/files', () => {
  it('stores a file, and answers what is known of it', async () => {
    const { status, body } = await upload(ada, BYTES, { name: 'data.bin', type: 'application/x-own' });

    expect(status).toBe(200);
    expect(body.data).toEqual({
      pid: expect.stringMatching(/^[0-9A-Z]{26}$/),
      name: 'data.bin',
      size: BYTES.length,
      contentType: 'application/octet-stream',
      sha256: sha256(BYTES),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await info(ada, body.data.pid)).body.data).toEqual(body.data);
    expect((await download(ada, body.data.pid)).bytes.equals(BYTES)).toBe(true);
  });

  it('takes a file without a byte', async () => {
    const { body } = await upload(ada, '');
    expect(body.data).toMatchObject({ size: 0, sha256: sha256(''), contentType: 'text/plain' });
    expect(await download(ada, body.data.pid)).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
  });

  it.each<[string, Buffer | string, string, string]>([
    ['a picture that says it is a page', PNG, 'text/html', 'image/png'],
    ['an archive that says it is a picture', ZIP, 'image/png', 'application/zip'],
    ['compressed data', gzipSync('x'), 'text/plain', 'application/gzip'],
    ['bytes of no known type', Buffer.from([0, 1, 2, 3]), 'image/png', 'application/octet-stream'],
    ['a page that says it is a text', '\ufeff <!-- x -->\n<!DOCTYPE html><p>', 'text/plain', 'text/html'],
    ['a script in a picture', '<?xml version="1.0"?><svg onload="x()"/>', 'text/plain', 'image/svg+xml'],
    ['a table', 'a,b\n1,2\n', 'text/csv', 'text/csv'],
    ['a table of an old program', Buffer.from('a;\xe9\n', 'latin1'), 'text/csv', 'text/csv'],
    ['a text that says it is a picture', 'hello', 'image/png', 'text/plain'],
    ['a text that says it is a script', 'alert(1)', 'text/javascript', 'text/plain'],
    ['a document', '%PDF-1.7\n', 'text/plain', 'application/pdf'],
  ])('knows the type of %s by its first bytes', async (_what, content, declared, expected) => {
    const { body } = await upload(ada, content, { type: declared });
    expect(body.data.contentType).toBe(expected);
    expect((await download(ada, body.data.pid)).headers.get('content-type')).toBe(expected);
  });

  it.each([
    ['leads.csv', 'application/vnd.ms-excel', 'text/csv'],
    ['LEADS.CSV', 'application/octet-stream', 'text/csv'],
    ['leads.csv', '', 'text/csv'],
    ['leads.csv', 'text/plain', 'text/csv'],
    ['leads.csv', 'application/json', 'application/json'],
    ['leads.ndjson', 'application/octet-stream', 'application/x-ndjson'],
    ['leads.constructor', 'application/octet-stream', 'text/plain'],
  ])('takes a text %s that is declared as %j for %s', async (name, type, expected) => {
    expect((await upload(ada, 'a,b\n1,2\n', { name, type })).body.data.contentType).toBe(expected);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\x\\report.csv', 'report.csv'],
    ['a\u0000b\u0007.txt', 'ab.txt'],
    ['invoice\u202Egpj.exe', 'invoicegpj.exe'],
    ['\u2066x\u2069\u200b\ufeff.txt', 'x.txt'],
    ['..', 'file'],
    ['   ', 'file'],
    ['.htaccess', 'htaccess'],
    ['a<b>|c?.txt', 'a_b__c_.txt'],
    ['نامه\u200cها.pdf', 'نامه\u200cها.pdf'],
    [`${'é'.repeat(300)}.pdf`, `${'é'.repeat(196)}.pdf`],
    ['e\u0301.txt', 'é.txt'],
  ])('cleans the name %j', async (given, expected) => {
    const { body } = await upload(ada, 'x', { name: given });
    expect(body.data.name).toBe(expected);
    const disposition = (await download(ada, body.data.pid)).headers.get('content-disposition') ?? '';
    const [, plain, encoded] =
      /^attachment; filename=("[\x20-\x7e]*"|[\w.-]+)(?:; filename\*=UTF-8''([\w%.~!-]+))?$/.exec(disposition) ?? [];
    expect(encoded === undefined ? plain : decodeURIComponent(encoded)).toBe(expected);
  });

  it.each([
    ['name="file"; filename="a.txt"; filename*=UTF-8\'\'n%C3%A4me%20%22x.txt'],
    ['name=file; filename="a.txt"; filename*=UTF-8\'\'n%C3%A4me%20%22x.txt'],
    ['name="file"; filename*=UTF-8\'\'n%C3%A4me%20%22x.txt; filename="a.txt"'],
    ["name=file; filename*=utf-8'de'n%C3%A4me%20%22x.txt; filename=a.txt"],
    ['filename="a; filename*=b.txt"; filename*=iso-8859-1\'\'n%E4me%20%22x.txt; name="file"'],
  ])('takes the name in filename*, wherever it stands: %s', async (disposition) => {
    const { body } = await sendMultipart(ada.token, multipart({ disposition, content: 'x' }));
    expect(body.data.name).toBe('n\u00e4me _x.txt');
  });

  it('takes the plain name where the other one cannot be read', async () => {
    const disposition = 'name="file"; filename="a.txt"; filename*=no-charset';
    expect((await sendMultipart(ada.token, multipart({ disposition, content: 'x' }))).body.data.name).toBe('a.txt');
  });

  const FILE = { disposition: 'name="file"; filename="a.txt"', content: 'x' };
  it.each<[string, Buffer, object]>([
    ['no part', multipart(), { file: 'must be the only part of the body, and a file' }],
    ['a text for a file', multipart({ ...FILE, disposition: 'name="file"' }), { file: expect.any(String) }],
    [
      'a part of another name',
      multipart({ ...FILE, disposition: 'name="doc"; filename="a"' }),
      { file: expect.any(String) },
    ],
    ['two files', multipart(FILE, FILE), { file: expect.any(String) }],
    [
      'a field beside the file',
      multipart(FILE, { disposition: 'name="a"', content: 'x' }),
      { file: expect.any(String) },
    ],
    ['no end', multipart(FILE).subarray(0, -8), { body: 'is malformed' }],
    ['half a file', multipart({ ...FILE, content: BYTES }).subarray(0, 500_000), { body: 'is malformed' }],
    ['nothing', Buffer.alloc(0), { body: 'is malformed' }],
  ])('answers 400 to a body with %s, and keeps nothing of it', async (_what, body, fieldErrors) => {
    const own = await newTenant();
    const user = await newUser([], own);
    expect(await sendMultipart(user.token, body)).toMatchObject({ status: 400, body: { data: { fieldErrors } } });
    expect(await storedFiles(own)).toEqual(NOTHING_STORED);
  });

  it('answers 415 to another type of body, and 400 to one without a boundary', async () => {
    expect(await call('/api/files', { token: ada.token, body: { file: 'x' } })).toMatchObject({ status: 415 });
    const headers = { 'content-type': 'multipart/form-data' };
    expect(await sendMultipart(ada.token, multipart(FILE), { headers })).toMatchObject({ status: 400 });
  });
});

describe('GET /api/files/{pid}', () => {
  let pid: string;
  let etag: string;

  beforeAll(async () => {
    ({ pid } = (await upload(ada, BYTES, { name: 'data.bin' })).body.data);
    etag = `"${sha256(BYTES)}"`;
  });

  it('can never act as a page of this address', async () => {
    const { pid: page } = (await upload(ada, '<html><script>x()</script></html>', { name: 'x.html' })).body.data;
    const { headers } = await download(ada, page);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment; filename=x.html',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    });
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=262140-262150', 262_140, 262_150],
    ['bytes=262144-524287', 262_144, 524_287],
    ['bytes=-5', 899_995, 899_999],
    ['bytes=800000-', 800_000, 899_999],
    ['bytes=899999-2000000', 899_999, 899_999],
  ])('answers %s with 206', async (range, start, end) => {
    const { status, headers, bytes } = await download(ada, pid, { headers: { range } });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/900000`]);
    expect(headers.get('content-length')).toBe(String(end - start + 1));
    expect(bytes.equals(BYTES.subarray(start, end + 1))).toBe(true);
  });

  it.each(['bytes=900000-', 'bytes=-0', 'bytes=5-4,900000-'])('answers %s with 416 and the size', async (range) => {
    const { status, headers, bytes } = await download(ada, pid, { headers: { range } });
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */900000']);
    expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE', data: { size: 900_000 } });
  });

  it.each<Record<string, string>>([
    { range: 'bytes=0-1,5-6' },
    { range: 'lines=1-2' },
    { range: 'x' },
    { range: 'bytes=0-1', 'if-range': '"x"' },
  ])('answers %j with the whole file', async (headers) => {
    const { status, bytes } = await download(ada, pid, { headers });
    expect([status, bytes.length]).toEqual([200, BYTES.length]);
  });

  it('answers If-None-Match with 304, If-Range with the part, HEAD with no bytes', async () => {
    expect(await download(ada, pid, { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 304,
      bytes: Buffer.alloc(0),
    });
    const headers = { range: 'bytes=1-2', 'if-range': etag };
    expect(await download(ada, pid, { headers })).toMatchObject({ status: 206, bytes: BYTES.subarray(1, 3) });
    const head = await download(ada, pid, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([200, '900000', etag]);
  });
});

describe('a file that no record names', () => {
  it("is its uploader's alone: another user, tenant or environment does not find it", async () => {
    const [other, guest] = [await newTenant(), await newUser(['ADMIN'], tenant)];
    const stranger = await newUser(['ADMIN'], other);
    const { pid } = (await upload(ada, 'x')).body.data;
    const elsewhere = { headers: { 'x-environment': 'staging' } };
    for (const user of [guest, stranger]) {
      expect((await download(user, pid)).status).toBe(404);
      expect(await info(user, pid)).toMatchObject({ status: 404 });
      expect(await remove(user, pid)).toMatchObject({ status: 404 });
    }
    expect((await download(ada, pid, elsewhere)).status).toBe(404);
    expect((await download(ada, pid)).status).toBe(200);
  });

  it('is removed by its uploader, with its bytes', async () => {
    const own = await newTenant();
    const user = await newUser([], own);
    const { pid } = (await upload(user, BYTES)).body.data;
    expect(await storedFiles(own)).toEqual({ files: 1, chunks: 4, references: 0, bytes: '900000' });
    expect(await remove(user, pid)).toMatchObject({ status: 200, body: { data: null } });
    expect((await download(user, pid)).status).toBe(404);
    expect(await storedFiles(own)).toEqual(NOTHING_STORED);
  });

  it('is removed after its time', async () => {
    const own = await newTenant();
    const user = await newUser([], own);
    const { pid } = (await upload(user, BYTES)).body.data;
    await collectFiles();
    expect((await download(user, pid)).status).toBe(200);
    await expireFiles(own);
    await collectFiles();
    expect((await download(user, pid)).status).toBe(404);
    expect(await storedFiles(own)).toEqual(NOTHING_STORED);
  });

  it('is behind the wall of row-level security, with its bytes', async () => {
    const { database } = await container();
    for (const table of ['file', 'file_chunk', 'file_reference', 'file_usage']) {
      expect(await database.query(`select 1 from platform.${table} limit 1`)).toEqual([]);
    }
  });
});

describe('files of the program itself', () => {
  it('are written and read without a request', async () => {
    const { files } = await container();
    const own = {
      tenantId: tenant.id,
      environment: 'dev',
      userPid: ada.pid,
      name: 'errors.csv',
      contentType: 'text/csv',
    };
    const { pid } = await files.write({ ...own, stream: pieces('row,', 'problem\n') });

    expect((await download(ada, pid)).bytes.toString()).toBe('row,problem\n');
    const read = await files.openRead(pid, tenant.id);
    expect(Buffer.concat(await read.toArray()).toString()).toBe('row,problem\n');
    await expect(files.openRead(pid, (await newTenant()).id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

async function* pieces(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
