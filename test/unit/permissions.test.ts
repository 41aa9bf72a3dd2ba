import { permissionCode } from '../../src/platform/metadata/permissions/permission-codes.ts';
import { permissionsOf, roleOfScope } from '../../src/platform/metadata/permissions/permissions.ts';

const ROLES: Record<string, string[]> = {
  READER: ['record:read:lead'],
  WRITER: ['command:execute:crm:create_lead'],
  ALL_RECORDS: ['record:read:*'],
  CRM: ['command:execute:crm:*'],
  EVERYTHING: ['*'],
};

const of = (...roles: string[]) =>
  permissionsOf(roles, (role) => (Object.hasOwn(ROLES, role) ? (ROLES[role] ?? []) : []));

describe('the permissions of roles', () => {
  it('are those of all of them together', () => {
    const both = of('READER', 'WRITER');

    expect(both.has('record:read:lead')).toBe(true);
    expect(both.has('command:execute:crm:create_lead')).toBe(true);
    expect(both.has('record:read:account')).toBe(false);
  });

  it.each<[string, string, boolean]>([
    ['READER', 'record:read:lead', true],
    ['READER', 'record:read:leads', false],
    ['READER', 'record:read', false],
    ['READER', 'record:read:lead:more', false],
    ['ALL_RECORDS', 'record:read:lead', true],
    ['ALL_RECORDS', 'record:read:a:b', true],
    ['ALL_RECORDS', 'record:write:lead', false],
    ['ALL_RECORDS', 'field:read:lead.score', false],
    ['CRM', 'command:execute:crm:delete_lead', true],
    ['CRM', 'command:execute:billing:pay', false],
    ['EVERYTHING', 'record:read:lead', true],
    ['EVERYTHING', 'field:read:lead.score', true],
  ])('%s has %s: %j', (role, code, has) => {
    expect(of(role).has(code)).toBe(has);
  });

  it.each(['UNKNOWN', '', 'admin', 'constructor', 'Platform_admin'])(
    '%j, which the environment lacks, are none',
    (role) => {
      expect(of(role).has('record:read:lead')).toBe(false);
    },
  );

  it('no role means no permission', () => {
    expect(of().has('record:read:lead')).toBe(false);
  });
});

describe('the built-in roles', () => {
  it('PLATFORM_ADMIN has every code', () => {
    for (const code of ['record:read:x', 'admin:environments', 'anything']) {
      expect(of('READER', 'PLATFORM_ADMIN').has(code)).toBe(true);
    }
  });

  it('ADMIN has every code but the admin: ones', () => {
    expect(of('ADMIN').has('record:read:x')).toBe(true);
    expect(of('ADMIN').has('field:write:lead.score')).toBe(true);
    expect(of('ADMIN').has('admin:environments')).toBe(false);
  });

  it('only PLATFORM_ADMIN has the admin: codes, whatever the others are made of', () => {
    const made = permissionsOf(
      ['A', 'B', 'C'],
      (role) => ({ A: ['*'], B: ['admin:*'], C: ['admin:metadata'] })[role] ?? [],
    );

    for (const code of ['admin:environments', 'admin:promotions', 'admin:metadata', 'admin:users']) {
      expect([code, made.has(code)]).toEqual([code, false]);
    }
  });
});

describe('the permissions of scopes', () => {
  const ofScopes = (...scopes: string[]) => of(...scopes.map(roleOfScope));

  it('are their codes, which no PERMISSION resource is asked for', () => {
    const permissions = ofScopes('record:read:*', 'command:execute:crm:create_lead');

    expect(permissions.has('record:read:lead')).toBe(true);
    expect(permissions.has('command:execute:crm:delete_lead')).toBe(false);
    expect(permissions.codes).toEqual(['command:execute:crm:create_lead', 'record:read:*']);
    expect(ofScopes('READER').has('record:read:lead')).toBe(false);
  });

  it.each<[string, string, boolean]>([
    ['*', 'admin:users', false],
    ['admin:users', 'admin:users', true],
    ['admin:users', 'admin:environments', false],
    ['admin:*', 'admin:environments', true],
    ['admin:*', 'record:read:lead', false],
  ])('%s has %s: %j', (scope, code, has) => {
    expect(ofScopes(scope).has(code)).toBe(has);
  });

  it('are not those of a built-in role of the same name', () => {
    for (const name of ['PLATFORM_ADMIN', 'ADMIN']) expect(ofScopes(name).has('record:read:lead')).toBe(false);
  });
});

describe('permission codes', () => {
  it('name what they protect', () => {
    expect(permissionCode.recordRead('lead')).toBe('record:read:lead');
    expect(permissionCode.commandExecute('crm:create_lead')).toBe('command:execute:crm:create_lead');
    expect(permissionCode.fieldRead('lead', 'score')).toBe('field:read:lead.score');
    expect(permissionCode.fieldWrite('lead', 'score')).toBe('field:write:lead.score');
    expect(permissionCode.dataSourceRead('open_leads')).toBe('datasource:read:open_leads');
  });
});
