import { randomBytes } from 'node:crypto';
import { FileStores } from '../../src/platform/files/stores/file-store.ts';
import { S3Client } from '../../src/platform/files/stores/s3-client.ts';
import { S3FileStore } from '../../src/platform/files/stores/s3-file-store.ts';
import { call } from '../support/api.ts';
import { until } from '../support/faults.ts';
import { beginUpload, collectFiles, download, expireFiles, sha256, storedFiles, upload } from '../support/files.ts';
import { startNodeHere, type OwnNode } from '../support/own-node.ts';
import { startProgram } from '../support/program.ts';
import { S3Server } from '../support/s3-server.ts';
import { newTenant, newUser, type TestTenant, type TestUser } from '../support/world.ts';

const MB = 1024 * 1024;

let s3: S3Server;
let node: OwnNode;
let tenant: TestTenant;
let user: TestUser;

beforeAll(async () => {
  s3 = await S3Server.start();
  node = await startNodeHere({ ...s3.settings, KEELSON_ROLES: 'api' });
});
afterAll(() => s3.stop());
beforeEach(async () => {
  s3.isAway = false;
  tenant = await newTenant();
  user = await newUser([], tenant);
});

const there = () => ({ baseUrl: node.url });
const ownObjects = () => [...s3.objects.keys()].filter((key) => key.startsWith(`${tenant.id}/`));
const ownUploads = () => [...s3.uploads.values()].filter(({ key }) => key.startsWith(`${tenant.id}/`));

/** The stores of a worker that has the same configuration. */
function stores(): FileStores {
  const { FILES_S3_ENDPOINT: endpoint = '' } = s3.settings;
  const { bucket, region, accessKeyId, secretAccessKey } = S3Server;
  const client = new S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey });
  return new FileStores([['s3', new S3FileStore(client)]]);
}

describe('files in an S3-compatible store', () => {
  it.each([
    ['without a byte', 0],
    ['of less than a part', 1_000],
    ['of exactly a part', 5 * MB],
    ['of three parts', 12 * MB + 7],
  ])('are stored and read: one %s', async (_what, size) => {
    const content = randomBytes(size);
    const { body } = await upload(user, content, there());
    expect(body.data).toMatchObject({ size, sha256: sha256(content) });
    expect(ownObjects()).toEqual([`${tenant.id}/${body.data.pid}`]);
    expect(s3.objects.get(ownObjects()[0] ?? '')?.equals(content)).toBe(true);
    expect(await storedFiles(tenant)).toMatchObject({ files: 1, chunks: 0 });
    expect((await download(user, body.data.pid, there())).bytes.equals(content)).toBe(true);
    expect(ownUploads()).toEqual([]);
  });

  it('are read in parts', async () => {
    const content = randomBytes(3 * MB);
    const { pid } = (await upload(user, content, there())).body.data;
    const range = { ...there(), headers: { range: `bytes=${MB - 5}-${2 * MB + 5}` } };
    expect(await download(user, pid, range)).toMatchObject({
      status: 206,
      bytes: content.subarray(MB - 5, 2 * MB + 6),
    });
  });

  it('are removed from there', async () => {
    const { pid } = (await upload(user, randomBytes(6 * MB), there())).body.data;
    await fetch(`${node.url}/api/files/${pid}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${user.token}` },
    });
    expect(ownObjects()).toEqual([]);
    expect(await storedFiles(tenant)).toMatchObject({ files: 0, bytes: '0' });
  });

  it('leave nothing there when an upload is interrupted', async () => {
    const socket = await beginUpload(user, node.url, randomBytes(11 * MB), 20 * MB);
    await until('two parts are there', () => ownUploads()[0]?.parts.size === 2);
    socket.destroy();
    await until('they are gone', async () => (await storedFiles(tenant))?.files === 0);
    expect([ownUploads(), ownObjects()]).toEqual([[], []]);
  });

  it('leave nothing there when a node is killed: a worker removes it', async () => {
    const doomed = await startProgram({ ...s3.settings, KEELSON_ROLES: 'api' });
    await beginUpload(user, doomed.url, randomBytes(11 * MB), 20 * MB);
    await until('two parts are there', () => ownUploads()[0]?.parts.size === 2);
    await doomed.stop('SIGKILL');
    await expireFiles(tenant);
    // Workers without the store leave its files alone.
    await collectFiles();
    expect(ownUploads()).toHaveLength(1);

    await collectFiles(stores());
    expect([ownUploads(), ownObjects()]).toEqual([[], []]);
    expect(await storedFiles(tenant)).toMatchObject({ files: 0 });
  });

  it('are 503 while the store is away, and are removed when it is back', async () => {
    const { pid } = (await upload(user, 'x', there())).body.data;
    s3.isAway = true;
    expect((await download(user, pid, there())).status).toBe(503);
    expect(await upload(user, 'y', there())).toMatchObject({ status: 503, body: { data: { dependency: 's3' } } });

    await expireFiles(tenant);
    await collectFiles(stores());
    s3.isAway = false;
    expect(ownObjects()).toHaveLength(1);
    await expireFiles(tenant);
    await collectFiles(stores());
    expect(ownObjects()).toEqual([]);
    expect(await storedFiles(tenant)).toMatchObject({ files: 0, bytes: '0' });
  });

  it('have a component of health, and the node stays ready while the store is away', async () => {
    const health = async (path = '') => (await call(`/actuator/health${path}`, there())).body.data;
    expect((await health('/system')).components.fileStore).toEqual({ status: 'UP' });
    s3.isAway = true;
    expect((await health('/system')).components.fileStore).toEqual({ status: 'DOWN' });
    expect(await health('/readiness')).toMatchObject({ status: 'UP', components: { db: { status: 'UP' } } });
    s3.isAway = false;
    expect((await health('/system')).components.fileStore).toEqual({ status: 'UP' });
  });

  it('stay where they are when the configuration changes', async () => {
    const older = (await upload(user, 'in Postgres')).body.data.pid as string;
    const newer = (await upload(user, 'in the store', there())).body.data.pid as string;
    expect((await download(user, older, there())).bytes.toString()).toBe('in Postgres');
    expect((await download(user, newer)).status).toBe(503);
  });
});
