import { text, type StoredMessage } from '../../../foundation/i18n/text.ts';
import { MAX_SOAK_INTERVAL_MS, MIN_SOAK_INTERVAL_MS, SOAK_LOOKS, UNHEALTHY_LOOKS } from '../promotions.limits.ts';
/** How an applied promotion is watched, as asked when it was applied. */
export interface SoakOrder {
  readonly seconds: number;
  /** The share of commands that may fail by a fault of the program. */
  readonly maxErrorRate: number;
  /** So many commands make a rate; fewer tell nothing. */
  readonly minCommands: number;
}

export const SOAK_STATUSES = ['WATCHING', 'PASSED', 'ROLLING_BACK', 'ROLLED_BACK', 'ROLLBACK_FAILED'] as const;
export type SoakStatus = (typeof SOAK_STATUSES)[number];

/** What one look has seen. */
export interface Observation {
  /** What the promotion can have brought down, by name. */
  readonly down: readonly string[];
  /** Shared dependencies that are down: until they are back, the watch does not pass. */
  readonly away: readonly string[];
  /** Commands in the target that were accepted since the apply and have come to an end. */
  readonly commands: number;
  /** Those of them that a fault of the program has failed, or whose events cannot be matched. */
  readonly failed: number;
}

/** The watch over an applied promotion, as it is kept with it. */
export interface Soak extends SoakOrder {
  readonly until: string;
  readonly status: SoakStatus;
  readonly seen: Observation | null;
  /** When that was. */
  readonly seenAt?: string | null;
  /** How many looks in a row found the program unhealthy. */
  readonly unhealthyLooks: number;
  /** The inverse promotion, once there is one. */
  readonly rollbackPid: string | null;
  /** Why it is being rolled back, or could not be. */
  readonly reason: StoredMessage | null;
}

export function beginSoak(order: SoakOrder, now: Date): Soak {
  const until = new Date(now.getTime() + order.seconds * 1_000).toISOString();
  return {
    ...order,
    until,
    status: 'WATCHING',
    seen: null,
    seenAt: null,
    unhealthyLooks: 0,
    rollbackPid: null,
    reason: null,
  };
}

/**
 * How long to wait between two looks: a watch takes about 20 of them, none more than a minute after the one
 * before.
 */
export function lookEveryMs({ seconds }: SoakOrder): number {
  return Math.min(MAX_SOAK_INTERVAL_MS, Math.max(MIN_SOAK_INTERVAL_MS, (seconds * 1_000) / SOAK_LOOKS));
}

/**
 * What becomes of the watch after a look: it goes on, has passed, or what was applied must be taken back, and
 * why.
 */
export function judge(soak: Soak, seen: Observation, now: Date): Soak {
  const unhealthyLooks = seen.down.length > 0 ? soak.unhealthyLooks + 1 : 0;
  const after = { ...soak, seen, seenAt: now.toISOString(), unhealthyLooks };
  if (seen.commands >= soak.minCommands && seen.failed > seen.commands * soak.maxErrorRate) {
    const rate = `${Math.round((seen.failed / seen.commands) * 1_000) / 10} %`;
    const reason = text('{failed} of {commands} commands since the apply have failed ({rate}; allowed: {allowed} %)', {
      failed: seen.failed,
      commands: seen.commands,
      rate,
      allowed: soak.maxErrorRate * 100,
    });
    return { ...after, status: 'ROLLING_BACK', reason: reason.toStored() };
  }
  if (unhealthyLooks >= UNHEALTHY_LOOKS) {
    const values = { parts: seen.down.join(', '), looks: unhealthyLooks };
    const reason = text('{parts} DOWN for {looks} looks in a row', values);
    return { ...after, status: 'ROLLING_BACK', reason: reason.toStored() };
  }
  // Nothing passes that is ill at the end, or that could not be seen: later looks decide.
  const over = now.getTime() >= Date.parse(soak.until) && unhealthyLooks === 0 && seen.away.length === 0;
  return over ? { ...after, status: 'PASSED' } : after;
}
