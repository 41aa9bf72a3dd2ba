import { client } from '../../app/client.ts';
import { say } from '../../app/notices.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { ACTIVITY } from './activity-query.ts';

/** Nobody looks at a form that waits for longer: the command goes on in the tray. */
const WAIT_SECONDS = 4;

interface SentCommand {
  /** Of `/api/meta/commands/execute/`. */
  readonly path: string;
  readonly name: string;
  readonly body: object;
  readonly idempotencyKey: string;
  readonly version?: number | undefined;
}

/** How a command has answered: its result, or that it goes on in the tray. */
export type Sent = { readonly isDone: true; readonly result: unknown } | { readonly isDone: false };

/** Executes a command. One that takes long goes on in the tray. @throws KeelsonError */
export async function sendCommand({ path, name, body, idempotencyKey, version }: SentCommand): Promise<Sent> {
  const { status, data } = await client.request('POST', `/api/meta/commands/execute/${path}`, {
    idempotencyKey,
    body,
    headers: {
      prefer: `respond-async, wait=${WAIT_SECONDS}`,
      ...(version !== undefined && { 'if-match': `"${version}"` }),
    },
  });
  if (status !== 202) return { isDone: true, result: data };
  say(t('{name} goes on. The tray at the top shows how it stands.', { name }));
  await queries.invalidateQueries({ queryKey: ACTIVITY });
  return { isDone: false };
}
