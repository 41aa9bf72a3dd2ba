import type { PlatformOrm } from '../../../foundation/database/orm.ts';
import { ApplicationError } from '../../../foundation/errors/application-error.ts';
import type { LoginResult } from './login-result.ts';
import { verifyPassword } from '../accounts/password.ts';
import type { Device, SessionsService } from './sessions.service.ts';
import { UserEntity } from '../accounts/user.entity.ts';

/** Spec: "Authentication" 2. */
export class LoginService {
  readonly #orm: PlatformOrm;
  readonly #sessions: SessionsService;

  constructor(orm: PlatformOrm, sessions: SessionsService) {
    this.#orm = orm;
    this.#sessions = sessions;
  }

  /**
   * Opens a session. Unknown e-mail, wrong password and disabled user are told apart by nothing, not even by
   * time.
   * @throws UNAUTHORIZED
   */
  async login(email: string, password: string, device: Device): Promise<LoginResult> {
    const user = await this.#orm.em.fork().findOne(UserEntity, { email: email.toLowerCase() });
    const right = await verifyPassword(password, user?.passwordHash ?? null);
    if (!user || !right) throw new ApplicationError('UNAUTHORIZED', { message: 'The e-mail or the password is wrong' });
    return this.#sessions.open(user.id, user.passwordHash, device);
  }
}
