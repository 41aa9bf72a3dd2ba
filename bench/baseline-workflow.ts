import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

/**
 * Baseline of commands and deliveries: a POST to `/` starts a workflow with one empty local activity, a POST
 * to `/activity` one with an empty ordinary activity. Client and worker share one connection, so the start is
 * eager; the response is the workflow's result. The bare `node:http` lets the same load generator drive both
 * sides, and takes well under a hundredth of the time.
 */
const TASK_QUEUE = 'bench-empty';
const namespace = process.env.TEMPORAL_NAMESPACE || 'default';

Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS });
const client = new Client({ connection, namespace });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: TASK_QUEUE,
  workflowsPath: fileURLToPath(new URL('empty.workflow.ts', import.meta.url)),
  activities: { nothing: async () => undefined },
});
const working = worker.run();

let number = 0;
const server = createServer((request, response) => {
  const answer = (status: number): void => void response.writeHead(status, { 'Content-Length': 0 }).end();
  if (request.method !== 'POST') return answer(200);
  request.resume();
  const workflow = request.url === '/activity' ? 'emptyActivity' : 'empty';
  client.workflow
    .start(workflow, { workflowId: `empty:${(number += 1)}`, taskQueue: TASK_QUEUE, requestEagerStart: true })
    .then((handle) => handle.result())
    .then(
      () => answer(200),
      (error: unknown) => {
        console.error(error);
        answer(500);
      },
    );
});
server.listen(Number(process.env.PORT), '127.0.0.1');

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  worker.shutdown();
  void working.then(() => connection.close());
});
