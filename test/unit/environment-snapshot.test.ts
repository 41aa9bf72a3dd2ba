import {
  problemsOfSnapshot,
  SNAPSHOT,
  takeSnapshot,
  type EnvironmentSnapshot,
  type SnapshotEntry,
} from '../../src/features/environments/environment-snapshot.ts';
import { validate } from '../../src/foundation/validation/validate.ts';
import { resourceTypes } from '../support/resource-types.ts';

const role = (code: string, rest: Partial<SnapshotEntry> = {}): SnapshotEntry => ({
  resourceType: 'PERMISSION',
  pid: `01ARZ3NDEKTSV4RRFFQ69G5F${code}`,
  code,
  version: 1,
  content: { name: 'Role', codes: ['record:read:a'] },
  ...rest,
});

const good = () => takeSnapshot('dev', [role('AA'), role('BB')]);

describe('a snapshot', () => {
  it('has the same bytes for equal content, whatever order resources and keys came in', () => {
    const turned = { codes: ['record:read:a'], name: 'Role' };

    const one = JSON.stringify(takeSnapshot('dev', [role('AA'), role('BB')]));
    const other = JSON.stringify(
      takeSnapshot('dev', [role('BB', { content: turned }), role('AA', { content: turned })]),
    );

    expect(other).toBe(one);
  });

  it('carries nothing but what is promoted: no stamps of who and when', () => {
    const stamped = { ...role('AA'), environment: 'dev', updatedBy: 'x', updatedAt: new Date() };

    expect(takeSnapshot('dev', [stamped]).resources).toEqual([role('AA')]);
  });

  it('has a checksum over its resources alone: the same from another environment, another for any change', () => {
    const { checksum } = takeSnapshot('dev', [role('AA')]);

    expect(checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(takeSnapshot('prod', [role('AA')]).checksum).toBe(checksum);
    for (const change of [{ version: 2 }, { code: 'AB' }, { content: { name: 'Role', codes: [] } }]) {
      expect(takeSnapshot('dev', [role('AA', change)]).checksum).not.toBe(checksum);
    }
  });
});

describe('a snapshot that somebody sends', () => {
  it('is good as it was exported', () => {
    for (const snapshot of [good(), takeSnapshot('dev', [])]) {
      expect([validate(SNAPSHOT, snapshot), problemsOfSnapshot(snapshot, resourceTypes)]).toEqual([{}, {}]);
    }
  });

  it('is refused when a byte of it changed', () => {
    const exported = JSON.stringify(takeSnapshot('dev', [role('AA'), role('BB')]));
    const changed = JSON.parse(exported.replace('record:read:a', 'record:read:b')) as EnvironmentSnapshot;

    expect(problemsOfSnapshot({ ...changed }, resourceTypes)).toEqual({ checksum: 'does not fit the resources' });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ formatVersion: 2 }, 'formatVersion'],
    [{ formatVersion: undefined }, 'formatVersion'],
    [{ environment: 5 }, 'environment'],
    [{ resources: {} }, 'resources'],
    [{ resources: undefined }, 'resources'],
    [{ checksum: undefined }, 'checksum'],
  ])('is refused with %j', (change, key) => {
    expect(Object.keys(validate(SNAPSHOT, { ...good(), ...change }))).toEqual([key]);
  });

  it('is refused with every entry that is wrong, named by its place', () => {
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

    expect(Object.keys(validate(SNAPSHOT, { ...good(), resources: misshapen })).sort()).toEqual([
      'resources.0.resourceType',
      'resources.1.pid',
      'resources.1.version',
      'resources.2.content',
      'resources.3',
    ]);
    expect(Object.keys(problemsOfSnapshot({ ...good(), resources: wrong }, resourceTypes)).sort()).toEqual([
      'checksum',
      'resources.0.content.codes',
      'resources.2',
      'resources.3',
    ]);
  });
});
