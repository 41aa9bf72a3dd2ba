import { dataOf, refusal } from '../support/api.ts';
import { changeModel, modelDraft, newCode, pageDraft, save, name, size } from '../support/models.ts';
import {
  choose,
  columnsIn,
  conflictsOf,
  contentIn,
  insertInto,
  newUnits,
  removeFrom,
  renamePage,
  resourceIn,
  unitOf,
  platformAdmin,
} from '../support/promotions.ts';
import type { EnvironmentCode } from '../../src/foundation/config/environments.ts';

const admin = platformAdmin();

describe('MISSING_DEPENDENCY', () => {
  it('is a reference to what the target lacks, with the path that shows why; autoInclude adds the closure', async () => {
    const other = await newUnits([name]);
    const model = await newUnits([name, { code: 'link', name: 'L', type: 'relation', target: other.code }]);
    const pid = await admin.created([model.page]);

    const promotion = await admin.conflicting(pid);
    // Once for the model, not again for each of its fields that the page shows.
    expect(promotion.conflicts).toEqual([
      {
        type: 'MISSING_DEPENDENCY',
        severity: 'blocking',
        resourceType: 'PAGE_SCHEMA',
        resourcePid: model.page.resourcePid,
        code: model.code,
        message: `${model.code} is not in the target`,
        details: {
          path: `PAGE_SCHEMA/${model.code} content.modelCode -> MODEL/${model.code}`,
          field: null,
          available: true,
        },
        resolutions: ['skip'],
        resolution: null,
      },
    ]);

    const included = dataOf(await admin.validate(pid, { autoInclude: true }));
    expect(included).toMatchObject({ status: 'VALIDATED', autoInclude: true, conflicts: [] });
    expect(
      included.plan.items.map(({ resourceType, code }: Record<string, string>) => `${resourceType} ${code}`).sort(),
    ).toEqual([`MODEL ${model.code}`, `MODEL ${other.code}`, `PAGE_SCHEMA ${model.code}`].sort());
    dataOf(await admin.apply(pid));
    expect(await columnsIn('staging', other.code)).toMatchObject({ name: 'text' });
    expect(await resourceIn('staging', 'COMMAND', model.command)).toBeNull();
  });

  it('is also a field that the model of the target has not got yet', async () => {
    const model = await newUnits([name]);
    await admin.promote(model.units);
    await changeModel(model, { fields: [name, size] });
    await renamePage(model.code, 'with size', 'dev', ['name', 'size']);
    const pid = await admin.created([model.page]);

    const [conflict] = (await admin.conflicting(pid)).conflicts;
    expect(conflict).toMatchObject({
      type: 'MISSING_DEPENDENCY',
      message: `${model.code}.size is not in the target`,
      details: { field: 'size', available: true },
    });
    expect(dataOf(await admin.validate(pid, { autoInclude: true })).plan.items).toHaveLength(2);
  });

  it('can be skipped: the resource stays out, and whatever needs it is the next conflict', async () => {
    const absent = await newUnits([name]);
    const model = await newUnits([name, { code: 'link', name: 'L', type: 'relation', target: absent.code }]);
    const lone = await newUnits([name]);
    const pid = await admin.created([model.model, model.page, lone.model]);

    const skipped = choose(model.model.resourcePid, 'MISSING_DEPENDENCY', 'skip');
    const next = await admin.conflicting(pid, skipped);
    expect(next.conflicts).toContainEqual(
      expect.objectContaining({ type: 'MISSING_DEPENDENCY', resourcePid: model.page.resourcePid, resolution: null }),
    );

    const both = dataOf(await admin.validate(pid, choose(model.page.resourcePid, 'MISSING_DEPENDENCY', 'skip')));
    expect(both).toMatchObject({ status: 'VALIDATED', plan: { items: [{ pid: lone.model.resourcePid }] } });
    dataOf(await admin.apply(pid));
    expect(await resourceIn('staging', 'MODEL', model.code)).toBeNull();
  });
});

describe('TARGET_NEWER', () => {
  /** The target has a version of its own making. */
  async function diverged(sourceVersions: number, targetVersions: number) {
    const model = await newUnits([name]);
    await admin.promote(model.units);
    for (let n = 1; n <= sourceVersions; n += 1) await renamePage(model.code, `source ${n}`);
    for (let n = 1; n <= targetVersions; n += 1) await renamePage(model.code, `target ${n}`, 'staging');
    return { ...model, pid: await admin.created([model.page]) };
  }
  const pageName = async (code: string, environment: EnvironmentCode) =>
    (await contentIn(environment, 'PAGE_SCHEMA', code))?.name;

  it('is a target whose version is higher; use_source overwrites it with the lower one', async () => {
    const { code, page, pid } = await diverged(1, 2);

    expect(conflictsOf(await admin.conflicting(pid))).toEqual([
      { type: 'TARGET_NEWER', code, details: { sourceVersion: 2, targetVersion: 3 }, resolution: null },
    ]);
    const chosen = dataOf(await admin.validate(pid, choose(page.resourcePid, 'TARGET_NEWER', 'use_source')));
    expect(chosen).toMatchObject({
      status: 'VALIDATED',
      conflicts: [{ resolution: 'use_source' }],
      plan: { items: [{ action: 'UPDATE', sourceVersion: 2, targetVersion: 3 }] },
    });
    dataOf(await admin.apply(pid));
    expect(await resourceIn('staging', 'PAGE_SCHEMA', code)).toMatchObject({ version: 2 });
    expect(await pageName(code, 'staging')).toBe('source 1');
  });

  it('is also the same version with another content; keep_target leaves the resource as it is', async () => {
    const { code, page, pid } = await diverged(1, 1);

    expect(conflictsOf(await admin.conflicting(pid))).toMatchObject([
      { type: 'TARGET_NEWER', details: { sourceVersion: 2, targetVersion: 2 } },
    ]);
    const chosen = dataOf(await admin.validate(pid, choose(page.resourcePid, 'TARGET_NEWER', 'keep_target')));
    expect(chosen).toMatchObject({ status: 'VALIDATED', plan: { items: [] } });
    dataOf(await admin.apply(pid));
    expect(await pageName(code, 'staging')).toBe('target 1');
  });

  it('stays resolved when the promotion is validated again', async () => {
    const { page, pid } = await diverged(1, 1);
    await admin.validate(pid, choose(page.resourcePid, 'TARGET_NEWER', 'use_source'));

    expect(dataOf(await admin.validate(pid))).toMatchObject({
      status: 'VALIDATED',
      resolutions: [{ resourcePid: page.resourcePid, type: 'TARGET_NEWER', resolution: 'use_source' }],
    });
  });

  it('is none for a unit that names its version', async () => {
    const { page } = await diverged(1, 2);
    const pid = await admin.created([{ ...page, version: 1 }]);

    expect(dataOf(await admin.validate(pid))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
  });
});

describe('DELETED_IN_TARGET', () => {
  it('is a resource that the target had and deleted; it comes back with use_source, stays away with skip', async () => {
    const model = await newUnits([name]);
    await admin.promote(model.units);
    await removeFrom('staging', 'PAGE_SCHEMA', model.code);
    const pid = await admin.created([model.page]);

    const { conflicts } = await admin.conflicting(pid);
    expect(conflicts).toMatchObject([
      { type: 'DELETED_IN_TARGET', resolutions: ['use_source', 'skip'], details: { deletedAt: expect.any(String) } },
    ]);
    const skipped = choose(model.page.resourcePid, 'DELETED_IN_TARGET', 'skip');
    expect(dataOf(await admin.validate(pid, skipped))).toMatchObject({ status: 'VALIDATED', plan: { items: [] } });
    const wanted = choose(model.page.resourcePid, 'DELETED_IN_TARGET', 'use_source');
    expect(dataOf(await admin.validate(pid, wanted))).toMatchObject({ plan: { items: [{ action: 'ADD' }] } });
    dataOf(await admin.apply(pid));
    expect(await resourceIn('staging', 'PAGE_SCHEMA', model.code)).toMatchObject({ version: 1 });
  });
});

describe('DUPLICATE_CODE', () => {
  /** Both environments have the page, made apart: different pids. */
  async function namesakes() {
    const model = await newUnits([name]);
    await admin.promote([model.model]);
    await renamePage(model.code, 'theirs', 'staging');
    const theirs = await unitOf('PAGE_SCHEMA', model.code, 'staging');
    return { ...model, theirs, pid: await admin.created([model.page]) };
  }

  it('is another resource of the target with the same type and code; use_source replaces it', async () => {
    const { code, page, theirs, pid } = await namesakes();

    expect(conflictsOf(await admin.conflicting(pid))).toEqual([
      { type: 'DUPLICATE_CODE', code, details: { targetPid: theirs.resourcePid }, resolution: null },
    ]);
    const chosen = dataOf(await admin.validate(pid, choose(page.resourcePid, 'DUPLICATE_CODE', 'use_source')));
    expect(chosen.plan.items).toMatchObject([
      { action: 'REMOVE', pid: theirs.resourcePid },
      { action: 'ADD', pid: page.resourcePid },
    ]);
    dataOf(await admin.apply(pid));
    expect(await resourceIn('staging', 'PAGE_SCHEMA', code)).toMatchObject({ pid: page.resourcePid });
  });

  it('keep_target leaves the other one', async () => {
    const { code, page, theirs, pid } = await namesakes();

    const body = choose(page.resourcePid, 'DUPLICATE_CODE', 'keep_target');
    expect(dataOf(await admin.validate(pid, body))).toMatchObject({ status: 'VALIDATED', plan: { items: [] } });
    dataOf(await admin.apply(pid));
    expect(await resourceIn('staging', 'PAGE_SCHEMA', code)).toMatchObject({ pid: theirs.resourcePid });
  });

  it('of a model is destructive as well, where its records have values that the other model has no field for', async () => {
    const model = await newUnits([name]);
    await save('staging', modelDraft(model.code, { fields: [name, size] }));
    await insertInto('staging', admin.tenant, model.code, [{ name: 'a', size: 1 }]);
    const pid = await admin.created([model.model]);

    const { conflicts } = await admin.conflicting(pid);
    expect(conflicts).toMatchObject([
      { type: 'DUPLICATE_CODE' },
      { type: 'DESTRUCTIVE_SCHEMA', details: { field: 'size', rows: 1 } },
    ]);
  });
});

describe('REFERENCED_REMOVAL', () => {
  it('is the removal of what something in the target needs; keep_target keeps it', async () => {
    const model = await newUnits([name]);
    await admin.promote(model.units);
    for (const [type, code] of [
      ['PAGE_SCHEMA', model.code],
      ['COMMAND', model.command],
      ['MODEL', model.code],
    ] as const) {
      await removeFrom('dev', type, code);
    }
    const pid = await admin.created([model.model, model.page]);

    const { conflicts } = await admin.conflicting(pid);
    expect(conflicts).toMatchObject([
      {
        type: 'REFERENCED_REMOVAL',
        resourcePid: model.model.resourcePid,
        message: `COMMAND ${model.command} refers to it`,
        resolutions: ['keep_target'],
        details: { path: `COMMAND/${model.command} content.modelCode -> MODEL/${model.code}` },
      },
    ]);
    const kept = choose(model.model.resourcePid, 'REFERENCED_REMOVAL', 'keep_target');
    expect(dataOf(await admin.validate(pid, kept)).plan.items).toMatchObject([
      { action: 'REMOVE', resourceType: 'PAGE_SCHEMA', pid: model.page.resourcePid },
    ]);
    dataOf(await admin.apply(pid));
    expect(await resourceIn('staging', 'MODEL', model.code)).not.toBeNull();
    expect(await resourceIn('staging', 'PAGE_SCHEMA', model.code)).toBeNull();
  });

  it('is found again for what the kept resource needs', async () => {
    const base = await newUnits([name]);
    const middle = await newUnits([name, { code: 'link', name: 'L', type: 'relation', target: base.code }]);
    await admin.promote([base.model, middle.model, middle.page]);
    for (const [type, code] of [
      ...[middle, base].flatMap((model) => [
        ['PAGE_SCHEMA', model.code] as const,
        ['COMMAND', model.command] as const,
        ['MODEL', model.code] as const,
      ]),
    ]) {
      await removeFrom('dev', type, code);
    }
    const pid = await admin.created([base.model, middle.model]);

    expect((await admin.conflicting(pid)).conflicts).toContainEqual(
      expect.objectContaining({ type: 'REFERENCED_REMOVAL', resourcePid: middle.model.resourcePid }),
    );
    const kept = await admin.conflicting(pid, choose(middle.model.resourcePid, 'REFERENCED_REMOVAL', 'keep_target'));
    expect(kept.conflicts).toContainEqual(
      expect.objectContaining({
        type: 'REFERENCED_REMOVAL',
        resourcePid: base.model.resourcePid,
        message: `MODEL ${middle.code} refers to it`,
        resolution: null,
      }),
    );
  });

  it('is also a model that loses a field which a page of the target shows', async () => {
    const model = await newUnits([name, size]);
    await renamePage(model.code, 'both', 'dev', ['name', 'size']);
    await admin.promote([model.model, model.page]);
    await renamePage(model.code, 'one');
    await changeModel(model, { fields: [name] });
    const pid = await admin.created([model.model]);

    expect((await admin.conflicting(pid)).conflicts).toMatchObject([
      { type: 'REFERENCED_REMOVAL', resourcePid: model.model.resourcePid, details: { field: 'size' } },
    ]);
    const whole = await admin.created([model.model, model.page]);
    expect(dataOf(await admin.validate(whole))).toMatchObject({ status: 'VALIDATED', conflicts: [] });
  });
});

describe('warnings', () => {
  it('OVERLAPPING_PROMOTION names another validated promotion of the same unit, and lets this one through', async () => {
    const model = await newUnits([name]);
    const first = await admin.validated([model.model]);
    const second = await admin.created([model.model, model.page]);

    expect(dataOf(await admin.validate(second))).toMatchObject({
      status: 'VALIDATED',
      conflicts: [
        { type: 'OVERLAPPING_PROMOTION', severity: 'warning', code: model.code, details: { promotionPid: first } },
      ],
    });
    expect(dataOf(await admin.apply(second))).toMatchObject({ status: 'APPLIED' });
    expect(refusal(await admin.apply(first))).toMatchObject({ status: 409, code: 'STALE_PLAN' });
  });

  it('VERSION_GAP says that the target has not seen the versions in between', async () => {
    const model = await newUnits([name]);
    await admin.promote([model.model, model.page]);
    await renamePage(model.code, 'two');
    await renamePage(model.code, 'three');

    expect(dataOf(await admin.validate(await admin.created([model.page])))).toMatchObject({
      status: 'VALIDATED',
      conflicts: [{ type: 'VERSION_GAP', severity: 'warning', details: { sourceVersion: 3, targetVersion: 1 } }],
    });
  });
});

describe('a resource that is the same on both sides', () => {
  it('has no conflict and no place in the plan', async () => {
    const model = await newUnits([name]);
    await admin.promote(model.units);

    const promotion = dataOf(await admin.validate(await admin.created(model.units)));
    expect(promotion).toMatchObject({ status: 'VALIDATED', conflicts: [], plan: { items: [] } });
  });

  it('may stand under a page that another promotion adds', async () => {
    const model = await newUnits([name]);
    await admin.promote([model.model]);
    const pageKey = newCode();
    await save('dev', pageDraft(pageKey, model.code, [name]));

    expect(dataOf(await admin.validate(await admin.created([await unitOf('PAGE_SCHEMA', pageKey)])))).toMatchObject({
      status: 'VALIDATED',
    });
  });
});
