import pLimit from 'p-limit';
import { memorySettings } from '../../scripts/startup/memory-settings.mjs';
import { askForImport, endedImport } from '../support/imports.ts';
import { expectLive, slowestLiveness } from '../support/liveness.ts';
import { newModel, newRole, type TestModel } from '../support/models.ts';
import { startOwnProgram, type OwnProgram } from '../support/own-program.ts';
import { HOSTILE_WORKBOOKS, workbook } from '../support/workbooks.ts';
import { newTenant, newUser, type TestUser } from '../support/world.ts';

/** A program of its own, with the memory that it has as it is shipped. */
let own: OwnProgram;
let model: TestModel;
let user: TestUser;

beforeAll(async () => {
  own = await startOwnProgram('hostile_imports', memorySettings({}, 2 ** 30));
  model = await newModel({ fields: [{ code: 'name', name: 'Name', type: 'string' }] });
  user = await newUser([await newRole(model.permissions)], await newTenant());
});
afterAll(() => own.stop());

/** What an import is refused with: at once, or once all of the file is read. */
async function refusalOf(content: Buffer): Promise<unknown> {
  const asked = { pageKey: model.code, content, format: 'xlsx', body: { mapping: { name: 'name' } } };
  const { status, body } = await askForImport(user, asked);
  if (status === 400) return body.data.fieldErrors.filePid;
  expect(status).toBe(202);
  const ended = await endedImport(user, body.data.importPid);
  expect(ended).toMatchObject({ status: 'FAILED', done: 0 });
  return ended.error.data.fieldErrors.filePid;
}

describe('a node with the memory that it is shipped with', () => {
  it('refuses small workbooks that unpack to very much by name, and serves others meanwhile', async () => {
    const files = await Promise.all(HOSTILE_WORKBOOKS.map(([, , parts]) => workbook(parts())));
    const limit = pLimit(4);
    let refusals: unknown[] = [];
    const refused = Promise.all(files.map((file) => limit(() => refusalOf(file))));
    const liveness = await slowestLiveness(
      own.program.url,
      refused.then((all) => (refusals = all)),
    );

    expect(refusals).toEqual(HOSTILE_WORKBOOKS.map(([, refusal]) => refusal));
    expectLive(liveness);
  });
});
