import { newPid } from '../database/pid.ts';
import type { PlatformOrm } from '../database/orm.ts';
import { ApplicationError } from '../errors/application-error.ts';
import { MembershipEntity } from './membership.entity.ts';
import { verifyPassword } from './password.ts';
import type { SessionStore } from './session-store.ts';
import type { Tokens } from './token.ts';
import { UserEntity } from './user.entity.ts';

/** Spec: "Login result". */
export interface LoginResult {
  readonly jwt: string;
  readonly userId: string;
  readonly userPid: string;
  readonly username: string;
  readonly tenantId: string;
  readonly tenantStatus: string;
}

export class LoginService {
  readonly #orm: PlatformOrm;
  readonly #sessions: SessionStore;
  readonly #tokens: Tokens;

  constructor(orm: PlatformOrm, sessions: SessionStore, tokens: Tokens) {
    this.#orm = orm;
    this.#sessions = sessions;
    this.#tokens = tokens;
  }

  /**
   * Opens a session. Unknown e-mail, wrong password and disabled user are told apart by nothing, not even by time.
   * @throws UNAUTHORIZED
   */
  async login(email: string, password: string): Promise<LoginResult> {
    const em = this.#orm.em.fork();
    const user = await em.findOne(UserEntity, { email: email.toLowerCase() });
    const right = await verifyPassword(password, user?.passwordHash ?? null);
    if (!user || !right || user.status !== 'active') {
      throw new ApplicationError('UNAUTHORIZED', { message: 'The e-mail or the password is wrong' });
    }
    const memberships = await em.find(MembershipEntity, { user: user.id });
    const home = memberships.find(({ tenant }) => tenant.id === user.defaultTenant.id) ?? memberships[0];
    if (!home) throw new ApplicationError('UNAUTHORIZED', { message: 'The user is a member of no tenant' });

    const sessionId = newPid();
    const { pid: userPid, id: userId, username } = user;
    await this.#sessions.save(sessionId, {
      userId,
      userPid,
      username,
      memberships: Object.fromEntries(memberships.map(({ tenant, roles }) => [tenant.id, roles])),
    });
    const tenantId = home.tenant.id;
    const jwt = this.#tokens.sign({ sessionId, userPid, tenantId });
    return { jwt, userId, userPid, username, tenantId, tenantStatus: home.status };
  }
}
