import { memorySettings } from '../../scripts/startup/memory-settings.mjs';

const GIB = 2 ** 30;

describe('the limits of memory', () => {
  it.each([
    [0.5 * GIB, 256],
    [2 * GIB, 512],
    [64 * GIB, 1_024],
  ])('give the heap a quarter of the memory, from 256 to 1,024 MiB: %d bytes', (usableBytes, heap) => {
    expect(memorySettings({}, usableBytes).NODE_OPTIONS).toContain(`--max-old-space-size=${heap}`);
  });

  it('are replaced by NODE_OPTIONS', () => {
    expect(memorySettings({ NODE_OPTIONS: '--trace-gc' }, GIB).NODE_OPTIONS).toBe('--trace-gc');
  });
});
