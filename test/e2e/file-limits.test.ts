import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { until } from '../support/faults.ts';
import {
  beginUpload,
  collectFiles,
  download,
  expireFiles,
  multipart,
  NOTHING_STORED,
  sendMultipart,
  storedFiles,
  upload,
} from '../support/files.ts';
import { valueOf } from '../support/metrics.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { newTenant, newUser, signedInForEach } from '../support/world.ts';
import { expectRefusal } from '../support/api.ts';

const MB = 1024 * 1024;
/** Largest file, and all files of a tenant. */
const LIMITS = { MAX_UPLOAD_MB: '1', FILES_TENANT_MAX_MB: '2' };

let small: OwnNode;

beforeAll(async () => {
  small = await startNodeHere({ ...LIMITS, KEELSON_ROLES: 'api' });
});
const { tenant, user } = signedInForEach();

const shared = (): string => process.env.KEELSON_TEST_URL ?? '';
const there = () => ({ baseUrl: small.url });
const file = (content: Buffer) => multipart({ disposition: 'name="file"; filename="a"', content });

describe('a file that is too large', () => {
  it('is refused with 413 before it is sent, where its length is known', async () => {
    const { status, body } = await sendMultipart(user.token, file(randomBytes(2 * MB)), there());
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await storedFiles(tenant)).toEqual(NOTHING_STORED);
  });

  it('is refused with 413 when it turns out to be, and nothing of it is kept', async () => {
    const body = new Blob([file(randomBytes(MB + 1))]).stream();
    expect(await sendMultipart(user.token, body, there())).toMatchObject({ status: 413 });
    expect(await storedFiles(tenant)).toEqual(NOTHING_STORED);
  });

  it('is not one of exactly the largest size', async () => {
    expect(await sendMultipart(user.token, file(randomBytes(MB)), there())).toMatchObject({ status: 200 });
  });
});

describe('a tenant', () => {
  it('has no more bytes of files than the operator allows, until it removes some', async () => {
    const full = { status: 409, body: { code: 'CONFLICT', data: { reason: 'LIMIT' } } };
    const content = randomBytes(0.9 * MB);
    const first = await upload(user, content, there());
    await upload(user, content, there());
    expect(await upload(user, content, there())).toMatchObject(full);
    expect(await storedFiles(tenant)).toMatchObject({ files: 2, bytes: String(2 * content.length) });
    expect(await upload(await newUser([], await newTenant()), content, there())).toMatchObject({ status: 200 });

    await fetch(`${small.url}/api/files/${first.body.data.pid}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${user.token}` },
    });
    expect(await upload(user, content, there())).toMatchObject({ status: 200 });
  });
});

describe('uploads of one user', () => {
  it('are at most four at once', async () => {
    const open = await Promise.all(Array.from({ length: 4 }, () => beginUpload(user, shared(), randomBytes(100))));
    await until('four uploads have begun', async () => (await storedFiles(tenant))?.files === 4);

    const refused = await upload(user, 'x', there());
    expectRefusal(refused, 'RATE_LIMITED', { limit: 4 });
    expect(refused.headers.get('retry-after')).toBe('5');
    for (const socket of open) socket.destroy();
    await until('they are gone', async () => (await storedFiles(tenant))?.files === 0);
    expect(await upload(user, 'x', there())).toMatchObject({ status: 200 });
  });
});

describe('an upload that is interrupted', () => {
  it('leaves nothing when the client goes', async () => {
    const socket = await beginUpload(user, shared(), randomBytes(MB));
    await until('a part of it is stored', async () => (await storedFiles(tenant))?.chunks);
    socket.destroy();
    await until('nothing is left', async () => (await storedFiles(tenant))?.files === 0);
    expect(await storedFiles(tenant)).toEqual(NOTHING_STORED);
  });

  it('leaves nothing when the node is killed: a worker removes it', async () => {
    const doomed = await startProgram({ KEELSON_ROLES: 'api' });
    const socket = await beginUpload(user, doomed.url, randomBytes(MB));
    await until('a part of it is stored', async () => (await storedFiles(tenant))?.chunks);
    await doomed.stop('SIGKILL');
    if (!socket.destroyed) await once(socket, 'close');
    expect(await storedFiles(tenant)).toMatchObject({ files: 1, bytes: '0' });

    await expireFiles(tenant);
    await collectFiles();
    await until('nothing is left', async () => (await storedFiles(tenant))?.files === 0);
    expect(await storedFiles(tenant)).toEqual(NOTHING_STORED);
  });
});

describe('two nodes', () => {
  it('have the same files', async () => {
    const content = randomBytes(700_000);
    const { pid } = (await upload(user, content, there())).body.data;
    expect((await download(user, pid)).bytes.equals(content)).toBe(true);
  });
});

describe('the metrics of files', () => {
  it('count what is uploaded, refused, sent and removed', async () => {
    const operator = await newUser(['PLATFORM_ADMIN'], await newTenant());
    const names = ['uploads', 'upload_bytes', 'downloads', 'download_bytes'].map(
      (name) => `keelson_file_${name}_total`,
    );
    const read = async () => [
      ...(await Promise.all(names.map((name) => valueOf(name, {}, operator.token, small.url)))),
      await valueOf('keelson_file_uploads_refused_total', { reason: 'PAYLOAD_TOO_LARGE' }, operator.token, small.url),
      await valueOf('keelson_file_uploads_refused_total', { reason: 'LIMIT' }, operator.token, small.url),
      await valueOf('keelson_file_removals_total', { outcome: 'removed' }, operator.token, small.url),
    ];
    const before = await read();

    const content = randomBytes(0.9 * MB);
    const { pid } = (await upload(user, content, there())).body.data;
    await upload(user, content, there());
    await download(user, pid, { ...there(), headers: { range: 'bytes=0-9' } });
    await download(user, pid, { ...there(), method: 'HEAD' });
    expect(await sendMultipart(user.token, file(randomBytes(2 * MB)), there())).toMatchObject({ status: 413 });
    expect(await upload(user, content, there())).toMatchObject({ status: 409 });

    // What the refused one has left is removed as well.
    const added = [2, 2 * content.length, 1, 10, 1, 1, 1];
    expect(await read()).toEqual(added.map((value, index) => (before[index] ?? 0) + value));
  });
});
