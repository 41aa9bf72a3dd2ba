import { readdirSync, readFileSync } from 'node:fs';

/** Finds the program at a URL's port: the largest of the processes with it, as the others are its guards. */
export function processAt(url: string): number {
  const port = `\0PORT=${new URL(url).port}\0`;
  const sizes = readdirSync('/proc').flatMap((name) => {
    try {
      const isOwn = /^\d+$/.test(name) && `\0${readFileSync(`/proc/${name}/environ`, 'utf8')}`.includes(port);
      return isOwn ? { pid: Number(name), size: residentMiB(Number(name)) } : [];
    } catch {
      return []; // another user's process, or ended
    }
  });
  // A process that is being started is as large as the program that starts it, for a moment: it is younger.
  return sizes.toSorted((a, b) => Math.round(b.size - a.size) || a.pid - b.pid)[0]?.pid ?? 0;
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
