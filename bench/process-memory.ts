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

/**
 * Processor time that a process has used, in milliseconds: on a machine with other work it says more than
 * speed.
 */
export function processorMs(pid: number): number {
  // Behind the name, which may hold anything, `utime` and `stime` are the 12th and 13th word, in ticks of 10
  // ms.
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(words[11]) + Number(words[12])) * 10;
}
