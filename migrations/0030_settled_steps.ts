import { Migration } from '@mikro-orm/migrations';

/** An advance of a run reads the steps that are not settled alone. */
export class SettledSteps0030 extends Migration {
  override up(): void {
    this.addSql(`alter table platform.automation_run add column settled_steps int not null default 0,
      add column items int not null default 0`);
    this.addSql(`alter table platform.automation_step add column next_item int not null default 0,
      add column settled boolean not null default false, add column undoable boolean not null default false`);
    // What open runs have done can still be undone.
    this.addSql(`update platform.automation_step s set undoable = true
      from platform.automation_run r join platform.dsl_resource_version v
        on v.environment = r.environment and v.pid = r.automation_pid and v.version = r.version
      where s.run_pid = r.pid and r.status in ('PENDING', 'RUNNING', 'WAITING') and s.status = 'SUCCEEDED'
        and exists (select 1 from jsonb_path_query(v.content::jsonb, '$.steps.**') step
          where jsonb_typeof(step -> 'compensation') = 'object' and step ->> 'id' = s.step_id)
        and not exists (select 1 from platform.automation_step u where u.run_pid = s.run_pid and u.key = 'undo:' || s.key)`);
    // Each has an expression of its own: a plan made while a run was young must not prefer another index.
    const index = (name: string, columns: string, condition = ''): void =>
      this.addSql(`create index automation_step_${name} on platform.automation_step
        ((run_pid || ':${name}'), ${columns}) ${condition}`);
    index('open', 'ordinal', `where not settled or status in ('RUNNING', 'RETRYING', 'WAITING')`);
    index('untold', 'ordinal', 'where not told');
    index('undoable', 'finished_at desc, ordinal desc', 'where undoable');
    index('order', 'ordinal');
    this.addSql(`create index automation_step_name on platform.automation_step ((run_pid || ':' || key))`);
    this.addSql(`create index automation_step_approvers on platform.automation_step (run_pid) where type = 'approval'`);
  }
}
