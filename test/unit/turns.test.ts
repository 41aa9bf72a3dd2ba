import { inTurn, letOthersRun } from '../../src/foundation/jobs/turns.ts';

/** Holds the event loop. */
function hold(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('work that holds the event loop', () => {
  it('lets others have their turn between its parts, however many are asked for at once', async () => {
    const order: string[] = [];
    const parts = [1, 2, 3].map((part) =>
      inTurn(() => {
        hold(15);
        order.push(`part ${part}`);
      }),
    );
    const other = (left: number): void => {
      order.push('other');
      if (left > 1) setImmediate(other, left - 1);
    };
    setImmediate(other, 2);
    await Promise.all(parts);
    await new Promise(setImmediate);

    // The first part was done in the turn of the test itself.
    expect(order).toEqual(['part 1', 'part 2', 'other', 'part 3', 'other']);
  });

  it('counts what is done afterwards: of those who wait, only so many go on in one turn', async () => {
    const order: string[] = [];
    const parts = [1, 2, 3].map(async (part) => {
      await inTurn(() => undefined);
      await letOthersRun();
      hold(15);
      order.push(`part ${part}`);
    });
    const other = (): void => {
      order.push('other');
      if (order.filter((one) => one.startsWith('part')).length < 3) setImmediate(other);
    };
    setImmediate(other);
    await Promise.all(parts);

    const together = order.join(' ').split('other');
    expect(together.filter((turn) => turn.split('part').length > 2)).toEqual([]);
  });

  it('fails with the error of the work', async () => {
    await expect(inTurn(() => JSON.parse('{'))).rejects.toThrow(SyntaxError);
  });
});
