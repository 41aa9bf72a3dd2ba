import {
  problemsOfExport,
  ENVIRONMENT_EXPORT,
  toEnvironmentExport,
  type EnvironmentExport,
  type ExportEntry,
} from '../../src/features/environments/environment-export.ts';
import { validate } from '../../src/foundation/validation/validate.ts';
import { resourceTypes } from '../support/resource-types.ts';

const role = (code: string, rest: Partial<ExportEntry> = {}): ExportEntry => ({
  resourceType: 'PERMISSION',
  pid: `01ARZ3NDEKTSV4RRFFQ69G5F${code}`,
  code,
  version: 1,
  content: { name: 'Role', codes: ['record:read:a'] },
  ...rest,
});

const good = () => toEnvironmentExport('dev', [role('AA'), role('BB')]);

describe('an environment export', () => {
  it('has the same bytes for equal content, whatever order resources and keys came in', () => {
    const turned = { codes: ['record:read:a'], name: 'Role' };

    const one = JSON.stringify(toEnvironmentExport('dev', [role('AA'), role('BB')]));
    const other = JSON.stringify(
      toEnvironmentExport('dev', [role('BB', { content: turned }), role('AA', { content: turned })]),
    );

    expect(other).toBe(one);
  });

  it('carries nothing but what is promoted: no stamps of who and when', () => {
    const stamped = { ...role('AA'), environment: 'dev', updatedBy: 'x', updatedAt: new Date() };

    expect(toEnvironmentExport('dev', [stamped]).resources).toEqual([role('AA')]);
  });

  it('has a checksum over its resources alone: the same from another environment, another for any change', () => {
    const { checksum } = toEnvironmentExport('dev', [role('AA')]);

    expect(checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(toEnvironmentExport('prod', [role('AA')]).checksum).toBe(checksum);
    for (const change of [{ version: 2 }, { code: 'AB' }, { content: { name: 'Role', codes: [] } }]) {
      expect(toEnvironmentExport('dev', [role('AA', change)]).checksum).not.toBe(checksum);
    }
  });
});

describe('an export that is sent', () => {
  it('is good as it was exported', async () => {
    for (const exported of [good(), toEnvironmentExport('dev', [])]) {
      expect([validate(ENVIRONMENT_EXPORT, exported), await problemsOfExport(exported, resourceTypes)]).toEqual([
        {},
        {},
      ]);
    }
  });

  it('is refused when a byte of it changed', async () => {
    const exported = JSON.stringify(toEnvironmentExport('dev', [role('AA'), role('BB')]));
    const changed = JSON.parse(exported.replace('record:read:a', 'record:read:b')) as EnvironmentExport;

    expect(await problemsOfExport({ ...changed }, resourceTypes)).toEqual({ checksum: 'does not fit the resources' });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ formatVersion: 2 }, 'formatVersion'],
    [{ formatVersion: undefined }, 'formatVersion'],
    [{ environment: 5 }, 'environment'],
    [{ resources: {} }, 'resources'],
    [{ resources: undefined }, 'resources'],
    [{ checksum: undefined }, 'checksum'],
  ])('is refused with %j', (change, key) => {
    expect(Object.keys(validate(ENVIRONMENT_EXPORT, { ...good(), ...change }))).toEqual([key]);
  });

  it('is refused with every entry that is wrong, named by its place', async () => {
    const misshapen = [
      role('AA', { resourceType: 'TABLE' }),
      role('BB', { pid: 'short', version: 0 }),
      role('CC', { content: [] as never }),
      null,
    ];
    const wrong = [
      role('AA', { content: { name: 'Role' } }),
      role('DD'),
      role('DD', { pid: '01ARZ3NDEKTSV4RRFFQ69G5FEE' }),
      role('DD', { code: 'FF' }),
    ];

    expect(Object.keys(validate(ENVIRONMENT_EXPORT, { ...good(), resources: misshapen })).sort()).toEqual([
      'resources.0.resourceType',
      'resources.1.pid',
      'resources.1.version',
      'resources.2.content',
      'resources.3',
    ]);
    expect(Object.keys(await problemsOfExport({ ...good(), resources: wrong }, resourceTypes)).sort()).toEqual([
      'checksum',
      'resources.0.content.codes',
      'resources.2',
      'resources.3',
    ]);
  });
});
