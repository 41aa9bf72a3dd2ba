import { TurnBatch } from '../../src/foundation/database/turn-batch.ts';

const nextTurn = () => new Promise(setImmediate);

describe('work that is asked for in one turn of the event loop', () => {
  it('is done together, at most 100 at once, and each gets its own answer', async () => {
    const sizes: number[] = [];
    const batch = new TurnBatch((items: readonly number[]) => {
      sizes.push(items.length);
      return Promise.resolve(items.map((item) => item * 2));
    });
    const items = Array.from({ length: 250 }, (_, index) => index);

    expect(await Promise.all(items.map((item) => batch.do(item)))).toEqual(items.map((item) => item * 2));
    expect(sizes).toEqual([100, 100, 50]);
  });

  it('waits while as many batches as may be are under way, and is the next one then', async () => {
    const begun: { items: readonly string[]; end: () => void }[] = [];
    const work = (items: readonly string[]) =>
      new Promise<readonly string[]>((resolve) => begun.push({ items, end: () => resolve(items) }));
    const batch = new TurnBatch(work, 1);
    const first = batch.do('a');
    await nextTurn();
    const others = ['b', 'c'].map((item) => batch.do(item));
    await nextTurn();
    const last = batch.do('d');
    await nextTurn();
    expect(begun.map(({ items }) => items)).toEqual([['a']]);

    begun[0]?.end();
    expect(await first).toBe('a');
    await nextTurn();
    expect(begun.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']]);

    begun[1]?.end();
    expect(await Promise.all([...others, last])).toEqual(['b', 'c', 'd']);
  });

  it('fails for the one that is to blame alone', async () => {
    const batch = new TurnBatch((items: readonly string[]) =>
      items.includes('bad') ? Promise.reject(new Error('bad')) : Promise.resolve(items),
    );

    expect(await Promise.allSettled(['a', 'bad', 'c'].map((item) => batch.do(item)))).toMatchObject([
      { value: 'a' },
      { status: 'rejected', reason: { message: 'bad' } },
      { value: 'c' },
    ]);
  });

  it('fails for all where the database is away, without asking it for each', async () => {
    let asked = 0;
    const batch = new TurnBatch(() => {
      asked += 1;
      return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    });

    const ends = await Promise.allSettled(['a', 'b'].map((item) => batch.do(item)));

    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toBe(1);
  });
});
