import { FairSlots } from '../../src/features/commands/running/batch-runner.ts';

/** Work that ends when it is told to. */
class Works {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();

  readonly work = (name: string) => (): Promise<string> => {
    this.begun.push(name);
    return new Promise((resolve, reject) => {
      this.#ends.set(name, (error) => (error ? reject(error) : resolve(name)));
    });
  };

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the slots of batches', () => {
  it('are so many at a time, and tenants take turns while more wait', async () => {
    const slots = new FairSlots(2);
    const works = new Works();
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => slots.run(name.slice(0, 1), works.work(name)));

    expect(works.begun).toEqual(['a1', 'a2']);
    await works.end('a1');
    await works.end('a2');
    await works.end('a3');

    expect(works.begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
    await works.end('b1');
    await works.end('a4');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  });

  it('are free again after work that fails', async () => {
    const slots = new FairSlots(1);
    const works = new Works();
    const failing = slots.run('a', works.work('bad')).catch((error: Error) => error.message);
    const next = slots.run('a', works.work('next'));

    await works.end('bad', new Error('no'));
    await works.end('next');

    expect(await failing).toBe('no');
    expect(await next).toBe('next');
  });
});
