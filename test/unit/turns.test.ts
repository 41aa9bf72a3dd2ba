import { inTurn } from '../../src/foundation/jobs/turns.ts';

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

  it('fails with the error of the work', async () => {
    await expect(inTurn(() => JSON.parse('{'))).rejects.toThrow(SyntaxError);
  });
});
