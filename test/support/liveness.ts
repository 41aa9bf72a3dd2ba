import { setTimeout as sleep } from 'node:timers/promises';

/** The longest that a node and another took to answer their liveness while something was done, in ms. */
interface SlowestLiveness {
  readonly slowest: number;
  /** Of the node that all tests share: the machine was that slow. */
  readonly ofAnother: number;
}

export async function slowestLiveness(baseUrl: string, work: Promise<unknown>): Promise<SlowestLiveness> {
  let isOver = false;
  const end = () => void (isOver = true);
  work.then(end, end);
  const slowestAt = async (url: string) => {
    let slowest = 0;
    while (!isOver) {
      const askedAt = performance.now();
      const { status } = await fetch(`${url}/actuator/health/liveness`);
      if (status !== 200) throw new Error(`liveness was answered with ${status}`);
      slowest = Math.max(slowest, performance.now() - askedAt);
      await sleep(20);
    }
    return slowest;
  };
  const [slowest, ofAnother] = await Promise.all([
    slowestAt(baseUrl),
    slowestAt(process.env.KEELSON_TEST_URL ?? ''),
    work,
  ]);
  return { slowest, ofAnother };
}

/** Fails for a node that was not live while it worked, on a machine of any speed. */
export function expectLive({ slowest, ofAnother }: SlowestLiveness): void {
  // Under 200 ms on a machine that does nothing else; `npm run bench -- hostile` tells.
  expect(slowest).toBeLessThan(2_000 + 10 * ofAnother);
}
