import { judgeSoak, soakPicture, type Sample } from '../../bench/soak-verdict.ts';

const samples = (residentMiB: (seconds: number) => number): Sample[] =>
  Array.from({ length: 360 }, (_, n) => ({ seconds: n * 5, residentMiB: residentMiB(n * 5), heapMiB: 80 }));

describe('the verdict of a soak', () => {
  it('is flat where memory grows within the warm-up alone', () => {
    const verdict = judgeSoak(samples((seconds) => Math.min(380, 280 + seconds)));
    expect(verdict).toEqual({ isFlat: true, growth: 0, mostMiB: 380 });
  });

  it('is not where it goes on growing by more than 5 %', () => {
    expect(judgeSoak(samples((seconds) => 300 + seconds / 50)).isFlat).toBe(false);
    expect(judgeSoak(samples((seconds) => 300 + seconds / 500)).isFlat).toBe(true);
  });

  it('comes with a picture that names the load', () => {
    expect(
      soakPicture(
        '30 minutes: 50 commands/s',
        samples(() => 300),
      ),
    ).toMatch(/<svg[^]*30 minutes: 50 commands\/s/);
  });
});
