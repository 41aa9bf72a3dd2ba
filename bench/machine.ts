import { availableParallelism, totalmem } from 'node:os';
import { Connection } from '@temporalio/client';
import { Redis } from 'ioredis';
import pg from 'pg';

/** Description of the machine, without its identity. */
export interface Machine {
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  /** Name -> version. */
  readonly versions: Readonly<Record<string, string>>;
}

export async function describeMachine(): Promise<Machine> {
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    versions: {
      Node: process.versions.node,
      Postgres: await postgresVersion(),
      Redis: await redisVersion(),
      'Temporal server': await temporalVersion(),
    },
  };
}

async function postgresVersion(): Promise<string> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return firstWord(rows[0]?.server_version);
}

async function redisVersion(): Promise<string> {
  const client = new Redis(process.env.REDIS_URL ?? '');
  const info = await client.info('server');
  client.disconnect();
  return firstWord(/redis_version:(\S+)/.exec(info)?.[1]);
}

async function temporalVersion(): Promise<string> {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  await connection.close();
  return firstWord(serverVersion);
}

/** Distributions append their name to the version. */
function firstWord(text: string | null | undefined): string {
  return text?.split(' ')[0] ?? 'unknown';
}
