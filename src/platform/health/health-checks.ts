import { HEALTH_TIMEOUT_MS } from './health.limits.ts';
import type { Message } from '../../foundation/i18n/text.ts';

type Status = 'UP' | 'DOWN';

/** Whether an indicator tells of this node alone, or of what all nodes share. */
type Scope = 'node' | 'system';

/** What an indicator has found; all but `up` is for operators alone. */
interface Finding {
  readonly up: boolean;
  /** What needs a look although it is UP. */
  readonly warning?: Message | undefined;
  readonly details?: object;
}

/** One thing the service depends on, asked whether it is there. */
export interface HealthIndicator {
  readonly name: string;
  readonly scope: Scope;
  /**
   * Without it this node can serve nothing. Spec: readiness needs database, shared store and metadata cache.
   */
  readonly neededForReadiness: boolean;
  /** May throw: that is DOWN, too. */
  check(): Promise<Finding>;
}

interface Component {
  readonly status: Status;
  readonly warning?: Message;
  readonly details?: object;
}

export interface Health {
  readonly status: Status;
  readonly components: Readonly<Record<string, Component>>;
}

/** Asks indicators, each at most once at a time: concurrent callers share the finding. */
export class HealthChecks {
  readonly #indicators: HealthIndicator[] = [];
  readonly #asked = new Map<HealthIndicator, Promise<Component>>();

  register(indicators: readonly HealthIndicator[]): void {
    this.#indicators.push(...indicators);
  }

  /** UP when every component is. */
  async health(scope?: Scope): Promise<Health> {
    return this.#healthOf(this.#indicators.filter((indicator) => scope === undefined || indicator.scope === scope));
  }

  /** Spec: "UP when database and shared store are reachable and the metadata cache is warm". */
  async readiness(): Promise<Health> {
    return this.#healthOf(this.#indicators.filter(({ neededForReadiness }) => neededForReadiness));
  }

  /** The names of the shared components that are down. */
  async down(): Promise<string[]> {
    const { components } = await this.health('system');
    return Object.entries(components).flatMap(([name, { status }]) => (status === 'DOWN' ? [name] : []));
  }

  async #healthOf(indicators: readonly HealthIndicator[]): Promise<Health> {
    const found = await Promise.all(
      indicators.map(async (indicator) => [indicator.name, await this.#ask(indicator)] as const),
    );
    const up = found.every(([, { status }]) => status === 'UP');
    return { status: up ? 'UP' : 'DOWN', components: Object.fromEntries(found) };
  }

  #ask(indicator: HealthIndicator): Promise<Component> {
    let asked = this.#asked.get(indicator);
    if (!asked) {
      asked = componentOf(indicator).finally(() => this.#asked.delete(indicator));
      this.#asked.set(indicator, asked);
    }
    return asked;
  }
}

/** The public part: states without reasons. */
export function withoutDetails({ status, components }: Health): Health {
  const bare = Object.entries(components).map(([name, component]) => [name, { status: component.status }]);
  return { status, components: Object.fromEntries(bare) as Health['components'] };
}

async function componentOf(indicator: HealthIndicator): Promise<Component> {
  const startedAt = performance.now();
  const { up, warning, details } = await within(indicator.check(), HEALTH_TIMEOUT_MS).catch(
    (error: unknown): Finding => ({
      up: false,
      details: { error: error instanceof Error ? error.message : 'unknown' },
    }),
  );
  const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
  return {
    status: up ? 'UP' : 'DOWN',
    ...(warning !== undefined && { warning }),
    details: { ...details, durationMs },
  };
}

async function within(check: Promise<Finding>, timeoutMs: number): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([check, late]).finally(() => clearTimeout(timer));
}
