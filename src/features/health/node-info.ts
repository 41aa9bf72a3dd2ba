import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Config } from '../../foundation/config/config.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Which program this is, and for how long it has been running. */
export function publicInfo({ buildCommit }: Config) {
  return { name: 'keelson', version, commit: buildCommit, uptimeSeconds: Math.floor(process.uptime()) };
}

/** What operators see beside that: it would help others to choose their attack. */
export function nodeInfo({ roles, environment }: Config) {
  return { node: process.version, host: hostname(), pid: process.pid, roles: [...roles], environment };
}
