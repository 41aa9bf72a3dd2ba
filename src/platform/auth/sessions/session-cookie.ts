import { reply, type Reply } from '../../../foundation/http/reply.ts';
import type { HttpRequest } from '../../../foundation/http/route.ts';
import type { LoginResult } from './login-result.ts';

const NAME = 'keelson_refresh';
/** No other route gets it, and none takes it in the place of `Authorization`. */
const SCOPE = 'Path=/api/auth; HttpOnly; SameSite=Strict';

/** Where a browser keeps the refresh token: in the page, or in a cookie that no script can read. */
export const REFRESH_TOKEN_PLACES = ['body', 'cookie'] as const;
export type RefreshTokenPlace = (typeof REFRESH_TOKEN_PLACES)[number];

/**
 * A log-in with its refresh token where it was asked for. CSRF: a cookie is used by `refresh` alone, which
 * changes nothing, whose answer other origins cannot read, and whose JSON they cannot send.
 */
export function sessionReply(result: LoginResult, place: RefreshTokenPlace | undefined, request: HttpRequest): Reply {
  if (place !== 'cookie') return reply(result);
  const { refreshToken, ...rest } = result;
  const expires = new Date(result.refreshExpiresAt).toUTCString();
  return reply(rest, { headers: { 'Set-Cookie': cookie(refreshToken, `Expires=${expires}`, request) } });
}

/** The refresh token in a request's cookie; an empty text where there is none. */
export function refreshTokenIn({ headers }: HttpRequest): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === NAME)?.[1] ?? '';
}

/** The end of a session: the cookie goes with it. */
export function endReply(request: HttpRequest): Reply {
  if (refreshTokenIn(request) === '') return reply(null);
  return reply(null, { headers: { 'Set-Cookie': cookie('', 'Max-Age=0', request) } });
}

/** `Secure` wherever the request was: a browser does not keep such a cookie of plain HTTP. */
function cookie(value: string, lifetime: string, { secure }: HttpRequest): string {
  return [`${NAME}=${value}`, lifetime, SCOPE, ...(secure ? ['Secure'] : [])].join('; ');
}
