import { FairQueue } from '../../src/features/commands/starting/fair-queue.ts';
import { distinct, summaryOf } from '../../src/features/commands/starting/group-summary.ts';

function queueOf(counts: Record<string, number>): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const [tenant, count] of Object.entries(counts)) {
    for (let number = 1; number <= count; number += 1) queue.add(tenant, `${tenant}${number}`);
  }
  return queue;
}

describe('the commands that start next', () => {
  it('are those of each tenant in turn, in the order of their arrival', () => {
    expect(queueOf({ a: 5, b: 2, c: 1 }).draw(6, 16)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('are 16 of one tenant at most while others wait, and any number when none does', () => {
    const queue = queueOf({ a: 200, b: 3 });

    expect(queue.draw(64, 16).filter((one) => one.startsWith('a'))).toHaveLength(16);
    expect(queue.draw(64, 16)).toHaveLength(64);
    expect(queue.size).toBe(200 - 16 - 64);
  });

  it('begin with the tenants whose turn had not come', () => {
    const queue = queueOf({ a: 2, b: 2, c: 2 });

    expect(queue.draw(2, 16)).toEqual(['a1', 'b1']);
    expect(queue.draw(2, 16)).toEqual(['c1', 'a2']);
    expect(queue.draw(9, 16)).toEqual(['b2', 'c2']);
    expect(queue.draw(9, 16)).toEqual([]);
  });
});

describe('a full queue', () => {
  it('makes room for a tenant with less by taking the newest item of the one with most', () => {
    const queue = queueOf({ a: 5, b: 1 });

    expect(queue.displace('b')).toBe('a5');
    expect(queue.displace('c')).toBe('a4');
    expect(queue.size).toBe(4);
  });

  it('refuses the tenant that waits with as many as any other', () => {
    const queue = queueOf({ a: 2, b: 2, c: 1 });

    expect(queue.displace('a')).toBeUndefined();
    expect(queue.displace('c')).toBeUndefined();
    expect(queue.size).toBe(5);
  });
});

describe('what Temporal is told of a group', () => {
  it('is how many of which commands it has, the most frequent first', () => {
    expect(summaryOf(['crm:b', 'crm:a', 'crm:a'])).toBe('3 commands: crm:a 2, crm:b 1');
  });

  it('stays within what Temporal takes, however many commands and tenants there are', () => {
    const codes = Array.from({ length: 64 }, (_, index) => `${'x'.repeat(90)}:${index}`);

    expect(summaryOf(codes).length).toBeLessThan(200);
    expect(JSON.stringify(distinct(codes)).length).toBeLessThan(2_000);
    expect(distinct(codes).length).toBeGreaterThan(10);
    expect(distinct(Array.from({ length: 64 }, (_, index) => `92233720368547758${index}`))).toHaveLength(64);
  });
});
