import { ulid } from 'ulid';
import { execute, list, type Answered } from './api.ts';
import { executionRow, holdRecord, rowsOf } from './faults.ts';
import { container, newTenant, newUser, type TestTenant, type TestUser } from './world.ts';

/** A tenant with a user and one lead, seen through one node. */
export class Scene {
  readonly tenant: TestTenant;
  readonly user: TestUser;
  readonly lead: { pid: string };
  readonly baseUrl: string;

  private constructor(tenant: TestTenant, user: TestUser, lead: { pid: string }, baseUrl: string) {
    this.tenant = tenant;
    this.user = user;
    this.lead = lead;
    this.baseUrl = baseUrl;
  }

  static async at(baseUrl: string): Promise<Scene> {
    const tenant = await newTenant();
    const user = await newUser(['ADMIN'], tenant);
    const { body } = await execute(user.token, 'crm:create_lead', { payload: { name: 'Ada' } }, { baseUrl });
    return new Scene(tenant, user, body.data, baseUrl);
  }

  create(name: string, clientRequestId = ulid(), baseUrl = this.baseUrl): Promise<Answered> {
    return execute(this.user.token, 'crm:create_lead', { payload: { name }, clientRequestId }, { baseUrl });
  }

  update(phone: string, clientRequestId = ulid(), baseUrl = this.baseUrl): Promise<Answered> {
    const body = { operationType: 'UPDATE', targetRecordId: this.lead.pid, payload: { phone }, clientRequestId };
    return execute(this.user.token, 'crm:update_lead', body, { baseUrl });
  }

  remove(): Promise<Answered> {
    const body = { operationType: 'DELETE', targetRecordId: this.lead.pid };
    return execute(this.user.token, 'crm:delete_lead', body, { baseUrl: this.baseUrl });
  }

  list(): Promise<Answered> {
    return list(this.user.token, 'leads', {}, { baseUrl: this.baseUrl });
  }

  hold() {
    return holdRecord(this.tenant.id, 'dev.mt_lead', this.lead.pid);
  }

  /** What the database has, whatever the API says. */
  async state() {
    const leads = await rowsOf(this.tenant.id, 'select name, phone, version from dev.mt_lead order by id');
    const changes = await rowsOf(this.tenant.id, 'select action from platform.change_log order by id');
    const { database } = await container();
    const events = await database.query('select pid from platform.event where tenant_id = $1', [this.tenant.id]);
    return { leads, changes: changes.map(({ action }) => action), events: events.length };
  }

  /** The newest execution of the tenant: refusals do not name theirs. */
  async lastExecution() {
    const { database } = await container();
    const [row] = await database.query<{ pid: string }>(
      'select pid from platform.command_execution where tenant_id = $1 order by pid desc limit 1',
      [this.tenant.id],
    );
    return executionRow(row?.pid ?? null);
  }
}
