import { LOGIN } from './bench-data.ts';

/** Logs in as the benchmark's user. @returns the access token */
export async function logIn(apiUrl: string): Promise<string> {
  const response = await fetch(`${apiUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(LOGIN),
  });
  const { code, data } = (await response.json()) as { code: string; data: { jwt: string } };
  if (code !== '0') throw new Error(`the log-in returned ${code}`);
  return data.jwt;
}
