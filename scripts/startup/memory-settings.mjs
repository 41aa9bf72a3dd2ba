import { totalmem } from 'node:os';
import { pathToFileURL } from 'node:url';

const MIB = 2 ** 20;
/** Beyond a heap of 1 GiB V8 keeps several times as much garbage as the program needs. */
const HEAP_MIB = { least: 256, most: 1_024 };

/** Bytes that this process may use: those of its container, else of the machine. */
function usableMemory() {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * Limits of memory, unless the environment sets its own. docs/operations.md says what each does.
 * @param {NodeJS.ProcessEnv} environment
 * @param {number} usableBytes a quarter of them is for the heap
 */
export function memorySettings({ NODE_OPTIONS, MALLOC_MMAP_THRESHOLD_ }, usableBytes = usableMemory()) {
  const quarter = Math.floor(usableBytes / 4 / MIB);
  const heap = Math.min(Math.max(quarter, HEAP_MIB.least), HEAP_MIB.most);
  return {
    // Without them V8 lets garbage grow with the machine's memory.
    NODE_OPTIONS: NODE_OPTIONS || `--max-semi-space-size=16 --max-old-space-size=${heap}`,
    // The C library's own default; but once set, it stays: else each large buffer raises it, up to 32 MiB.
    MALLOC_MMAP_THRESHOLD_: MALLOC_MMAP_THRESHOLD_ || String(128 * 1024),
  };
}

// As lines of a shell, for what the environment leaves open: scripts/start-production.sh reads them.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [name, value] of Object.entries(memorySettings(process.env))) {
    if (!process.env[name]) console.log(`export ${name}='${value}'`);
  }
}
