import { t } from '../../app/texts.ts';
import { gaugeOf, type Operations } from './operations-query.ts';

/** Something that needs a look, and where it is described. */
export interface Advice {
  readonly key: string;
  readonly isUrgent: boolean;
  readonly text: string;
  /** Of docs/operations.md. */
  readonly section: string;
}

const FEW_WAITING = 1_000;

/** What an operator would do first, from what is known. */
export function adviceFor(operations: Operations): Advice[] {
  const { health, nodes } = operations;
  const down = Object.entries(health.components).filter(([, { status }]) => status === 'DOWN');
  const advice: (Advice | null)[] = [
    ...down.map(([name]) => ({
      key: name,
      isUrgent: true,
      text: t('{name} is down.', { name: componentName(name) }),
      section: name === 'outbox' || name === 'disk' ? 'Health' : 'When a dependency is away',
    })),
    ...Object.entries(health.components).flatMap(([name, { warning }]) =>
      warning === undefined ? [] : [{ key: `${name} warning`, isUrgent: false, text: warning, section: 'Health' }],
    ),
    new Set(nodes.map(({ version, commit }) => `${version} ${commit}`)).size > 1
      ? {
          key: 'versions',
          isUrgent: false,
          text: t('The nodes have different versions: an update is under way, or stopped half-way.'),
          section: 'In production',
        }
      : null,
    nodes.length > 0 && !nodes.some(({ roles }) => roles.includes('worker'))
      ? { key: 'worker', isUrgent: true, text: t('No node works for Temporal.'), section: 'In production' }
      : null,
    gaugeOf(operations, 'webhook_circuits_open') > 0
      ? {
          key: 'circuits',
          isUrgent: false,
          text: t('Endpoints of webhooks do not answer: they are not called for now.'),
          section: 'Webhooks',
        }
      : null,
    gaugeOf(operations, 'webhook_deliveries', { state: 'queued' }) > FEW_WAITING
      ? { key: 'queued', isUrgent: false, text: t('Many deliveries wait for their turn.'), section: 'Webhooks' }
      : null,
    gaugeOf(operations, 'table_builds', { status: 'FAILED' }) > 0
      ? { key: 'builds', isUrgent: true, text: t('Builds of large tables have failed.'), section: 'Large tables' }
      : null,
  ];
  return advice.flatMap((one) => one ?? []);
}

/** What people call a part of the service. */
export function componentName(name: string): string {
  const names: Readonly<Record<string, string>> = {
    db: 'Postgres',
    redis: 'Redis',
    temporal: 'Temporal',
    outbox: t('Outbox'),
    metadataCache: t('Configuration in memory'),
    disk: t('Disk'),
    files: t('Files'),
  };
  return names[name] ?? name;
}
