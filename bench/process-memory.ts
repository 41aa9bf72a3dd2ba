import { readdirSync, readFileSync } from 'node:fs';

/** Finds the process of a URL's port: the largest of those with it, because the others are its guards. */
export function processAt(url: string): number {
  const port = `\0PORT=${new URL(url).port}\0`;
  const own = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && `\0${readFileSync(`/proc/${name}/environ`, 'utf8')}`.includes(port);
    } catch {
      return false; // another user's process, or ended
    }
  });
  return Math.max(
    0,
    ...own
      .map(Number)
      .sort((a, b) => residentMiB(b) - residentMiB(a))
      .slice(0, 1),
  );
}

export function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
