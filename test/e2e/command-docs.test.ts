import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { execute } from '../support/api.ts';
import { newCode } from '../support/models.ts';
import { newTenant, newUser, PASSWORD } from '../support/world.ts';

describe('docs/commands.md', () => {
  it('has an example of all kinds of steps that runs', async () => {
    const tenant = await newTenant();
    const [admin, seller] = [await newUser(['PLATFORM_ADMIN'], tenant), await newUser(['SALES'], tenant)];
    const page = await readFile(new URL('../../docs/commands.md', import.meta.url), 'utf8');
    const example = page.match(/```sh\n(ADMIN=[^]*?)```/)?.[1] ?? '';
    const code = `crm:${newCode()}`;
    const script = example
      .replaceAll('crm:qualify_lead', code)
      .replaceAll('localhost:6443', process.env.KEELSON_TEST_URL ?? '')
      .replaceAll('admin@acme.example', admin.email)
      .replaceAll('keelson-demo-1', PASSWORD);

    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, TOKEN: seller.token },
    });

    await execute(admin.token, 'meta:delete', { payload: { resourceType: 'COMMAND', code } });
    const [saved = '', answered = ''] = stdout
      .split('}{')
      .map((part, index) => (index === 0 ? `${part}}` : `{${part}`));
    expect(JSON.parse(saved)).toMatchObject({ code: '0' });
    expect(JSON.parse(answered)).toMatchObject({
      code: '0',
      data: {
        lead: { status: 'open' },
        tell: { eventPid: expect.any(String) },
        follow: { runPid: expect.any(String) },
      },
    });
  });
});
