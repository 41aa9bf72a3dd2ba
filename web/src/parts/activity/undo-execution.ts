import { findPage, type Application, type Me, type RecordData } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { client } from '../../app/client.ts';
import { may } from '../../app/permissions.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { ACTIVITY, type Execution } from './activity-query.ts';

/** Items of one batch. */
const MAX_ITEMS = 500;

/** What an execution has done, as far as it can be taken back. */
function effectOf(application: Application, { commandCode, operation, status }: Execution) {
  const command = application.commands.find(({ code }) => code === commandCode);
  if (!command || status !== 'SUCCEEDED') return null;
  const isDelete = operation === 'DELETE' || (operation === 'BATCH' && command.operations.join() === 'DELETE');
  const effect = isDelete ? 'DELETE' : operation === 'UPDATE' ? 'UPDATE' : null;
  return effect && { effect, modelCode: command.modelCode };
}

/** Whether the caller may take an execution back. */
export function canUndo(application: Application, me: Me, execution: Execution): boolean {
  const done = effectOf(application, execution);
  if (!done) return false;
  return may(me, `record:${done.effect === 'DELETE' ? 'restore' : 'write'}:${done.modelCode}`);
}

/** Takes it back by a command of its own. @returns what there is to say @throws KeelsonError */
export async function undoExecution(application: Application, execution: Execution): Promise<string> {
  const done = effectOf(application, execution);
  if (!done) return t('It is as it was.');
  const { effect, modelCode } = done;
  if (effect === 'DELETE') {
    for (const pid of await deletedBy(execution)) await run('record:restore', { modelCode, pid });
  } else {
    const { result } = await ask('GET /api/meta/commands/executions/{pid}', { params: { pid: execution.pid } });
    const { pid, version } = (result ?? {}) as Partial<RecordData>;
    if (pid === undefined || version === undefined) return t('It cannot be undone.');
    if (await hasChangedSince(application, modelCode, pid, version)) {
      return t('It has changed again since. Its history has all versions.');
    }
    await run('record:revert', { modelCode, pid, version: version - 1 });
  }
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['records'] }),
    queries.invalidateQueries({ queryKey: ACTIVITY }),
  ]);
  return t('It is as it was.');
}

async function deletedBy({ pid, operation, targetRecordId }: Execution): Promise<string[]> {
  if (operation !== 'BATCH') return targetRecordId === null ? [] : [targetRecordId];
  const { records } = await ask('GET /api/meta/commands/executions', { query: { batchPid: pid, pageSize: MAX_ITEMS } });
  return records.flatMap(({ targetRecordId: one, status }) => (one !== null && status === 'SUCCEEDED' ? [one] : []));
}

/** To undo an old change would undo the later ones, too. */
async function hasChangedSince(application: Application, modelCode: string, pid: string, version: number) {
  const page = findPage(application, modelCode);
  if (!page) return false;
  const record: RecordData = await client.page(page.pageKey).get(pid);
  return record.version !== version;
}

async function run(code: string, payload: object): Promise<void> {
  await (client.command(code) as (payload: object) => Promise<unknown>)(payload);
}
