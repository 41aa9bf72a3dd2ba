import { withProgress } from '../../cli/progress.mjs';

const connection = {
  get: (_path: string, seconds: number) => new Promise((done) => setTimeout(done, seconds * 1_000)),
};

describe('progress of a request at a terminal', () => {
  const { isTTY } = process.stderr;
  const write = process.stderr.write.bind(process.stderr);
  let written: string;
  beforeEach(() => {
    written = '';
    jest.useFakeTimers();
    process.stderr.write = (text: unknown) => {
      written += String(text);
      return true;
    };
    process.stderr.isTTY = true;
  });
  afterEach(() => {
    jest.useRealTimers();
    process.stderr.write = write;
    process.stderr.isTTY = isTTY;
  });

  it('is shown from two seconds on, and cleared at the end', async () => {
    const slow = withProgress(connection).get('/api/slow', 4);
    await jest.advanceTimersByTimeAsync(4_000);
    await slow;
    expect(written).toBe('\r\x1b[Kget /api/slow (2 s)\r\x1b[Kget /api/slow (3 s)\r\x1b[K');
  });

  it('is not shown for a quick one, nor where there is no terminal', async () => {
    const quick = withProgress(connection).get('/api/quick', 1);
    await jest.advanceTimersByTimeAsync(1_000);
    await quick;
    process.stderr.isTTY = false;
    const slow = withProgress(connection).get('/api/slow', 4);
    await jest.advanceTimersByTimeAsync(4_000);
    await slow;
    expect(written).toBe('');
  });
});
