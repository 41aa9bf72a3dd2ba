import type { Me } from '../../app/application.ts';
import { mayAny } from '../../app/permissions.ts';
import type { TextKey } from '../../app/texts.ts';
import type { IconName } from '../../ui/Icon.tsx';

interface Entry<Path extends string> {
  readonly path: Path;
  /** In the texts that are always there: the screen's own come with it. */
  readonly label: TextKey;
  readonly icon: IconName;
  /** Any of these permissions is enough to use something of the screen. */
  readonly may: readonly string[];
}

interface Section<Path extends string = string> {
  readonly title: TextKey;
  readonly entries: readonly Entry<Path>[];
}

/** What authors, administrators and operators have, in the order of the navigation. */
const SECTIONS = [
  {
    title: 'Build',
    entries: [{ path: '/build', label: 'Resources', icon: 'columns', may: ['admin:metadata'] }],
  },
  {
    title: 'Promote',
    entries: [{ path: '/promotions', label: 'Promotions', icon: 'up', may: ['admin:promotions'] }],
  },
  {
    title: 'Administer',
    entries: [
      { path: '/environments', label: 'Environments', icon: 'board', may: ['admin:environments'] },
      { path: '/users', label: 'Users', icon: 'user', may: ['user:manage'] },
      { path: '/service-accounts', label: 'Service accounts', icon: 'keyboard', may: ['service_account:manage'] },
      { path: '/tenants', label: 'Tenants', icon: 'group', may: ['admin:users'] },
      { path: '/channels', label: 'Channels', icon: 'chat', may: ['im:manage'] },
      { path: '/audit', label: 'Audit trail', icon: 'list', may: ['admin:environments'] },
    ],
  },
  {
    title: 'Operate',
    entries: [
      { path: '/operate/health', label: 'Health', icon: 'activity', may: ['admin:operations'] },
      { path: '/operate/webhooks', label: 'Webhooks', icon: 'webhook', may: ['webhook:manage'] },
      { path: '/operate/deliveries', label: 'Deliveries', icon: 'export', may: ['webhook:manage'] },
      { path: '/operate/executions', label: 'Executions', icon: 'list', may: ['execution:read'] },
      { path: '/operate/runs', label: 'Runs', icon: 'right', may: ['execution:read'] },
      { path: '/operate/imports', label: 'Imports', icon: 'import', may: ['execution:read'] },
    ],
  },
] as const satisfies readonly Section[];

export type SectionPath = (typeof SECTIONS)[number]['entries'][number]['path'];

/** What the caller may use of them; a section of which nothing is left is none. */
export function sectionsFor(me: Me): Section<SectionPath>[] {
  const sections: readonly Section<SectionPath>[] = SECTIONS;
  return sections.flatMap(({ title, entries }) => {
    const usable = entries.filter(({ may: codes }) => mayAny(me, codes));
    return usable.length > 0 ? [{ title, entries: usable }] : [];
  });
}
