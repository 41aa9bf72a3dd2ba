import { call, dataOf } from '../support/api.ts';
import { axeInBothThemes, openConsoleAs, PHONE } from '../support/browser.ts';
import { insert, name, newCode, newModel, save, size } from '../support/models.ts';
import { signedIn } from '../support/world.ts';

const author = signedIn('PLATFORM_ADMIN');

/** A command that creates a record for each item of its list. @returns the model and the command */
async function newCommand(): Promise<{ code: string; command: string }> {
  const { code } = await newModel({ fields: [name, size] });
  const command = `test:${newCode()}`;
  const fields = [
    { ...name, required: true },
    { ...size, min: 1 },
  ];
  await save('dev', {
    resourceType: 'COMMAND',
    code: command,
    content: {
      name: 'Add several',
      modelCode: code,
      operations: ['CUSTOM'],
      payload: [{ code: 'items', name: 'Items', type: 'list', required: true, fields }],
      steps: [
        {
          id: 'made',
          operation: 'CREATE',
          modelCode: code,
          forEach: 'payload.items',
          values: { name: 'item.name', size: 'item.size' },
        },
      ],
    },
  });
  return { code, command };
}

describe('a list in the form of a command', () => {
  it('is a table of rows, in which what is wrong stands where it is', async () => {
    const { code, command } = await newCommand();
    const { page, problems } = await openConsoleAs(author.user, `/pages/${code}?run=${command}`);
    const add = page.getByRole('button', { name: 'Add a row' });
    const send = page.getByRole('dialog').getByRole('button', { name: 'Add several', exact: true });

    await send.click();
    await page.getByRole('alert').filter({ hasText: 'is required' }).waitFor();
    for (const row of [1, 2, 3]) {
      // A list that needs items begins with one.
      if (row > 1) await add.click();
      await page.getByLabel(`Name, row ${row}`).fill(`n${row}`);
    }
    await page.getByLabel('Size, row 3').fill('0');
    await page.getByRole('button', { name: 'Remove row 2' }).click();
    expect(await page.getByLabel('Name, row 2').inputValue()).toBe('n3');
    await send.click();
    await page.getByText('must not be less than 1').waitFor();
    expect(await page.getByLabel('Size, row 2').getAttribute('aria-invalid')).toBe('true');
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByLabel('Size, row 2').fill('3');
    await send.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const { records } = dataOf(
      await call(`/api/dynamic/${code}/list?sortField=name&sortOrder=asc`, { token: author.user.token }),
    );
    expect(records).toMatchObject([
      { name: 'n1', size: null },
      { name: 'n3', size: 3 },
    ]);
    expect(problems).toEqual([]);
  });

  it('has its labels beside its controls on a telephone', async () => {
    const { code, command } = await newCommand();
    const { page } = await openConsoleAs(author.user, `/pages/${code}?run=${command}`, { viewport: PHONE });
    await page.getByText('Name, row 1').waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});

describe('a relation in the payload of a command', () => {
  it('has choices where the page has no such field, in a list, too', async () => {
    const customers = await newModel({ displayField: 'name', fields: [{ ...name, searchable: true }] });
    const { code } = await newModel({ fields: [name] });
    const command = `test:${newCode()}`;
    const customer = { code: 'customer', name: 'Customer', type: 'relation' as const, target: customers.code };
    await save('dev', {
      resourceType: 'COMMAND',
      code: command,
      content: {
        name: 'Lend',
        modelCode: code,
        operations: ['CUSTOM'],
        payload: [customer, { code: 'others', name: 'Others', type: 'list', fields: [{ ...customer, code: 'other' }] }],
        steps: [{ id: 'made', operation: 'CREATE', modelCode: code, values: { name: 'payload.customer' } }],
      },
    });
    const [ada] = await insert(author.tenant, customers.code, [{ name: 'Ada' }, { name: 'Bob' }]);
    const { page, problems } = await openConsoleAs(author.user, `/pages/${code}?run=${command}`);

    await page.getByLabel('Customer', { exact: true }).fill('Ad');
    await page.getByRole('option', { name: 'Ada', exact: true }).click();
    await page.getByRole('button', { name: 'Add a row' }).click();
    await page.getByLabel('Customer, row 1').fill('Bo');
    await page.getByRole('option', { name: 'Bob', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lend', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const { records } = dataOf(await call(`/api/dynamic/${code}/list`, { token: author.user.token }));
    expect(records).toMatchObject([{ name: ada }]);
    expect(problems).toEqual([]);
  });
});
