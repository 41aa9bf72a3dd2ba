import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { toFailure } from '../../activities/failure.ts';
import { ApplicationError } from '../../src/errors/application-error.ts';
import { CHAT, CHAT_CHANGED, chatWorkflowId, type ChatState } from '../../workflows/contracts.ts';

/** As record.ts, for the answers of assistants: `node test/replay/record-chat.ts <version>`. */

const over = (status: string): ChatState => ({ status, ended: true, waitMs: 0 });
const WAITING: ChatState = { status: 'WAITING', ended: false, waitMs: 60_000 };

/** What becomes of each call of the worker. */
const SCENARIOS: Record<string, (attempt: number) => ChatState> = {
  completed: () => over('COMPLETED'),
  /** A command waits to be confirmed, and is. */
  confirmed: (attempt) => (attempt === 1 ? WAITING : over('COMPLETED')),
  /** It is not this message's turn yet. */
  queued: (attempt) => (attempt < 3 ? { status: 'PENDING', ended: false, waitMs: 100 } : over('COMPLETED')),
  /** No worker could make it. */
  'given-up': () => {
    throw toFailure(new ApplicationError('INTERNAL_ERROR'));
  },
};

const version = process.argv[2];
if (!version || !/^v\d+$/.test(version)) throw new Error('usage: node test/replay/record-chat.ts v<number>');

Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233' });
const client = new Client({ connection, identity: 'recorder' });

for (const [name, reply] of Object.entries(SCENARIOS)) {
  const taskQueue = `record-chat-${name}`;
  let attempt = 0;
  const worker = await Worker.create({
    connection,
    taskQueue,
    identity: 'recorder',
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    activities: {
      makeReply: async () => reply((attempt += 1)),
      giveReplyUp: async () => over('FAILED'),
    },
  });
  await worker.runUntil(async () => {
    const messagePid = `recorded-${name}-${Date.now()}`;
    const handle = await client.workflow.start(CHAT, {
      ...{ workflowId: chatWorkflowId(messagePid), taskQueue, args: [{ messagePid }] },
    });
    if (name === 'confirmed') {
      while (attempt === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      await handle.signal(CHAT_CHANGED, null);
    }
    await handle.result();
    const file = new URL(`histories/chat.${version}.${name}.json`, import.meta.url);
    await writeFile(file, `${JSON.stringify(await handle.fetchHistory(), null, 2)}\n`, { flag: 'wx' });
    console.log(`recorded ${fileURLToPath(file)}`);
  });
}
await connection.close();
