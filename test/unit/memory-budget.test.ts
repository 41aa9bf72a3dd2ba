import { MemoryBudget, type Holder } from '../../src/foundation/memory/memory-budget.ts';
import { MAX_MEMORY_WAITING, UNWAITED_BYTES } from '../../src/foundation/foundation.limits.ts';

const SIZE = 10 * UNWAITED_BYTES;
const holder = (): Holder => ({ bytes: 0 });
const UNAVAILABLE = { code: 'SERVICE_UNAVAILABLE', data: { dependency: 'memory' } };

describe('the memory that results share', () => {
  it('is taken without waiting as long as there is some', () => {
    const budget = new MemoryBudget(SIZE);
    expect([budget.take(holder(), SIZE / 2), budget.take(holder(), SIZE / 2)]).toEqual([true, true]);
  });

  it('lets one go on beyond it, and others wait until that one has ended', async () => {
    const budget = new MemoryBudget(SIZE);
    const [first, second] = [holder(), holder()];
    expect([budget.take(first, SIZE + 1), budget.take(second, UNWAITED_BYTES + 1)]).toEqual([true, false]);
    expect(budget.take(first, SIZE)).toBe(true);
    const waited = budget.wait(second);
    budget.give(first, first.bytes, true);
    await expect(waited).resolves.toBeUndefined();
    expect(budget.used).toBe(UNWAITED_BYTES + 1);
  });

  it('passes the turn to one that waits, though still more is taken than there is', async () => {
    const budget = new MemoryBudget(SIZE);
    const [first, second, third] = [holder(), holder(), holder()];
    budget.take(first, SIZE + 1);
    budget.take(second, SIZE);
    budget.take(third, SIZE);
    const [one, other] = [budget.wait(second), budget.wait(third)];
    budget.give(first, first.bytes, true);
    await one;
    expect([budget.take(second, SIZE), budget.take(third, SIZE)]).toEqual([true, false]);
    budget.give(second, second.bytes, true);
    await other;
  });

  it('is left by one that waits and ends', async () => {
    const budget = new MemoryBudget(SIZE);
    const [first, second, third] = [holder(), holder(), holder()];
    budget.take(first, SIZE + 1);
    budget.take(second, SIZE);
    const waited = budget.wait(second);
    budget.give(second, second.bytes, true);
    await waited;
    budget.give(first, first.bytes, true);
    expect([budget.take(third, SIZE + 1), budget.take(third, 1)]).toEqual([true, true]);
  });

  it('never keeps small results waiting', () => {
    const budget = new MemoryBudget(SIZE);
    budget.take(holder(), 2 * SIZE);
    expect(budget.take(holder(), UNWAITED_BYTES)).toBe(true);
  });

  it('refuses those that would wait where enough wait already', async () => {
    const budget = new MemoryBudget(SIZE);
    const first = holder();
    budget.take(first, 2 * SIZE);
    const waiting = Array.from({ length: MAX_MEMORY_WAITING }, () => budget.wait(holder()));
    await expect(budget.wait(holder())).rejects.toMatchObject(UNAVAILABLE);
    budget.give(first, first.bytes, true);
    await Promise.all(waiting);
  });
});
