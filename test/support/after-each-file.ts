/*
 * A worker of jest loads the modules of `test/support` once and runs many files with them, so they cannot
 * call `afterAll` themselves.
 */
const closers: (() => unknown)[] = [];

/** Runs this after the last test of each file, whether or not the file has used what it closes. */
export function afterEachFile(close: () => unknown): void {
  closers.push(close);
}

/** For the setup that jest runs before each file. */
export async function closeAll(): Promise<void> {
  for (const close of closers) await close();
}
