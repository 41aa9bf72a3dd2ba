import { timeZonesOfTenants } from '../../src/platform/auth/accounts/tenant.entity.ts';
import { sqlRunnerOf } from '../../src/foundation/database/sql-runner.ts';
import { readConfig } from '../../src/foundation/config/config.ts';
import { createApplication } from '../../src/application.ts';
import { SnapshotCache } from '../../src/platform/metadata/snapshot/snapshot-cache.ts';
import { until } from '../support/faults.ts';
import { newCode } from '../support/models.ts';
import { runSql } from '../support/platform.ts';
import { container } from '../support/world.ts';
import { resourceTypes } from '../support/resource-types.ts';

describe('the metadata cache of a node', () => {
  it('gives nobody what a load has read before the change that he knows of', async () => {
    const { store, orm } = await container();
    // The node's connections are known by this name.
    const name = (process.env.PGAPPNAME = newCode());
    const node = await createApplication(readConfig({ ...process.env, LOG_LEVEL: 'silent' }));
    const cache = new SnapshotCache(node.orm, store, resourceTypes, timeZonesOfTenants);
    const writer = orm.em.fork();
    await writer.begin();
    try {
      // The load has seen the environment's version and waits for its resources; meanwhile the version grows.
      // In everybody's order: the environment first.
      await sqlRunnerOf(writer).query(`select 1 from platform.environment where code = 'prod' for update`);
      await sqlRunnerOf(writer).query('lock table platform.dsl_resource in access exclusive mode');
      const early = cache.at('prod', null);
      const blocked = `select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`;
      await until('the load waits', async () => (await runSql(blocked, [name])).length > 0);
      const [row] = await sqlRunnerOf(writer).query<{ version: number }>(
        `update platform.environment set metadata_version = metadata_version + 1 where code = 'prod' returning metadata_version as version`,
      );
      const late = cache.at('prod', String(row?.version));
      await writer.commit();

      expect((await early).version).toBe((row?.version ?? 0) - 1);
      expect((await late).version).toBeGreaterThanOrEqual(row?.version ?? Infinity);
    } finally {
      delete process.env.PGAPPNAME;
      if (writer.isInTransaction()) await writer.rollback();
      await node.close();
    }
  });

  it('puts right a version in Redis that the database does not have, as after a restore', async () => {
    // Nobody else announces a version there.
    const REDIS_URL = `${readConfig().redisUrl}?keyPrefix=${newCode()}:`;
    const node = await createApplication(readConfig({ ...process.env, REDIS_URL, LOG_LEVEL: 'silent' }));
    try {
      const { orm, store } = node;
      await store.connect();
      const key = 'keelson:metadata-version:prod';
      await store.pipeline([['set', key, 999_999]]);

      const { version } = await new SnapshotCache(orm, store, resourceTypes, timeZonesOfTenants).current('prod');

      expect(await store.pipeline([['get', key]])).toEqual([String(version)]);
      expect(version).toBeLessThan(999_999);
    } finally {
      await node.close();
    }
  });
});
