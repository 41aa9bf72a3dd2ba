import { randomFillSync } from 'node:crypto';
import { encodeTime, ulid } from 'ulid';

/** Randomness for a hundred pids: left to itself, `ulid` asks the system for every single byte. */
const stock = new Uint8Array(1_600);
let left = 0;

/** The form of every pid, those of other systems included. */
export const PID_PATTERN = '^[0-9A-Za-z]{1,32}$';
const FORM = new RegExp(PID_PATTERN);

export function isPid(text: string): boolean {
  return FORM.test(text);
}

/** A new pid: a ULID, so pids sort by the time at which they were made. */
export function newPid(): string {
  return ulid(Date.now(), fraction);
}

function fraction(): number {
  if (left === 0) {
    randomFillSync(stock);
    left = stock.length;
  }
  left -= 1;
  return (stock[left] as number) / 256;
}

/** The least pid that can have been made at a time: pids before it are older. */
export function firstPidAt(time: Date): string {
  return `${encodeTime(time.getTime())}${'0'.repeat(16)}`;
}
