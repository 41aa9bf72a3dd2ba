import type { GroupTextKey } from '../../app/texts/groups.ts';
import type { ZH_CN } from '../../app/texts/zh-cn.ts';

type TextKey = GroupTextKey | keyof typeof ZH_CN;

/** The audit trail's actions in words, by what they are about. A test compares them with the service's. */
const ACTIONS: readonly (readonly [about: string, name: TextKey, Readonly<Record<string, TextKey>>])[] = [
  [
    'environment',
    'Environments',
    {
      lock: 'Environment locked',
      unlock: 'Environment unlocked',
      'unlock.propose': 'Unlocking proposed',
      export: 'Environment exported',
      import: 'Environment imported',
      apply: 'Files applied',
      policy: 'Approval rule changed',
      'policy.propose': 'Approval rule proposed',
      'policy.withdraw': 'Proposed approval rule withdrawn',
      'secret.set': 'Secret set',
      'secret.delete': 'Secret deleted',
      'fields.drop': 'Removed fields dropped',
      reset: 'Environment reset',
    },
  ],
  [
    'promotion',
    'Promotions',
    {
      create: 'Promotion created',
      validate: 'Promotion planned',
      approve: 'Promotion approved',
      reject: 'Promotion rejected',
      cancel: 'Promotion cancelled',
      schedule: 'Promotion scheduled',
      apply: 'Promotion applied',
      fail: 'Promotion failed',
      rollback: 'Promotion rolled back',
      expire: 'Promotion expired',
      soak: 'Promotion watched',
    },
  ],
  [
    'metadata',
    'Configuration',
    {
      save: 'Resource saved',
      delete: 'Resource deleted',
    },
  ],
  [
    'record',
    'Records',
    {
      purge: 'Record erased',
    },
  ],
  [
    'datasource',
    'Data sources',
    {
      test: 'Data source tried',
    },
  ],
  [
    'user',
    'Users',
    {
      create: 'User made',
      update: 'User changed',
      reset: 'Password reset',
      password: 'Password changed',
      'session-reuse': 'Session ended: its token was used twice',
    },
  ],
  [
    'service-account',
    'Service accounts',
    {
      create: 'Service account made',
      delete: 'Service account deleted',
      adopt: 'Service account taken over',
      'key-create': 'Key made',
      'key-revoke': 'Key revoked',
    },
  ],
  [
    'tenant',
    'Tenants',
    {
      create: 'Tenant made',
      update: 'Tenant changed',
    },
  ],
  [
    'webhook',
    'Webhooks',
    {
      create: 'Webhook made',
      update: 'Webhook changed',
      delete: 'Webhook deleted',
      enable: 'Webhook switched on',
      disable: 'Webhook switched off',
      adopt: 'Webhook taken over',
      'rotate-secret': 'Secret of a webhook exchanged',
    },
  ],
  [
    'im',
    'Channels',
    {
      bind: 'Channel bound',
      unbind: 'Channel unbound',
      adopt: 'Channel taken over',
    },
  ],
  [
    'secrets',
    'Secrets',
    {
      reseal: 'Secrets sealed anew',
    },
  ],
];

/** Action -> words. */
export const AUDIT_ACTIONS: ReadonlyMap<string, TextKey> = new Map(
  ACTIONS.flatMap(([about, , actions]) =>
    Object.entries(actions).map(([action, text]) => [`${about}.${action}`, text] as const),
  ),
);

/** What actions can be filtered by: all about something, then each. */
export const AUDIT_FILTERS = ACTIONS.map(([about, name, actions]) => ({
  action: `${about}.*`,
  name,
  actions: Object.keys(actions).map((action) => `${about}.${action}`),
}));
