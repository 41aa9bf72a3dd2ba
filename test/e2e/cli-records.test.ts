import { dataOf, ends, person } from '../support/cli.ts';
import { newModel, type TestModel } from '../support/models.ts';
import { newTenant, newUser } from '../support/world.ts';

let model: TestModel;

beforeAll(async () => {
  person.present = await newUser(['ADMIN'], await newTenant());
  model = await newModel({
    fields: [
      { code: 'name', name: 'Name', type: 'string', searchable: true },
      { code: 'price', name: 'Price', type: 'decimal' },
      { code: 'tags', name: 'Tags', type: 'json' },
    ],
  });
});

const set = (...values: string[]) => values.flatMap((value) => ['--set', value]);

describe('keelson and the records of an application', () => {
  it('run executes a command: values are JSON, or texts', async () => {
    const made = await dataOf(['run', model.command, ...set('name=Ada = B', 'price=12.50', 'tags=["a", 1]')]);
    expect(made).toMatchObject({ name: 'Ada = B', price: '12.50', tags: ['a', 1], version: 1 });
    const change = ['run', model.command, '--record', made.pid, '--operation', 'UPDATE', ...set('price=null')];
    const dry = await dataOf([...change, '--dry-run', '--version', '1']);
    expect(dry).toMatchObject({ result: { price: null, version: 2 } });
    await ends(1, [...change, '--version', '7'], { err: /^CONFLICT: / });
    expect(await dataOf(change)).toMatchObject({ price: null, version: 2 });

    await ends(0, ['get', model.code, made.pid], { out: /\nname +Ada = B\n/ });
    await ends(0, ['history', model.code, made.pid], { out: /^AT +VERSION [^]*UPDATE[^]*price: 12.50 -> -/ });
  });

  it('list takes conditions, an order, columns and a limit', async () => {
    for (const name of ['b', 'c', 'a']) await dataOf(['run', model.command, ...set(`name=list ${name}`)]);
    const list = ['list', model.code, '--where', 'name like list %', '--sort', '-name', '--columns', 'name,price'];
    await ends(0, list, { out: /^NAME +PRICE\nlist c +-\nlist b +-\nlist a +-\n$/ });
    await ends(0, [...list, '--where', 'name ne list b', '--limit', '1'], {
      out: /^NAME +PRICE\nlist c +-\n1 of 2\n$/,
    });
    await ends(0, ['list', model.code, '--where', 'price is_null', '--json'], { out: '"records"' });
    await ends(1, ['list', model.code, '--where', 'nme eq a'], { err: 'VALIDATION_ERROR' });
  });

  it('whoami says who works where, with which roles', async () => {
    await ends(0, ['whoami'], { out: `<${person.present?.email}> at ${process.env.KEELSON_TEST_URL} (dev, ` });
    await ends(0, ['whoami'], { out: /\): ADMIN\n$/ });
  });
});
