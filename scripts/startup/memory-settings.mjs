/**
 * Limits of memory, unless the environment sets its own. docs/operations.md says what each does; Dockerfile
 * and package.json repeat them.
 * @param {NodeJS.ProcessEnv} environment
 */
export function memorySettings({ NODE_OPTIONS, MALLOC_MMAP_THRESHOLD_ }) {
  return {
    // Without them V8 lets garbage grow with the machine's memory.
    NODE_OPTIONS: NODE_OPTIONS || '--max-semi-space-size=16 --max-old-space-size=256',
    // The C library's own default; but once set, it stays: else each large buffer raises it, up to 32 MiB.
    MALLOC_MMAP_THRESHOLD_: MALLOC_MMAP_THRESHOLD_ || String(128 * 1024),
  };
}
