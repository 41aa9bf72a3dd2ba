import type { Me, Model, RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { shownInLine } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { may } from '../../app/permissions.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { recordsKey } from '../records/record-list.ts';

/** A record with the version that it had. */
type Earlier = Pick<RecordData, 'pid' | 'version'>;

/** Gives a record back the values that it had, where the caller may. */
export function undoOfUpdate(me: Me | undefined, model: Model, pageKey: string, before: Earlier) {
  return undoOfUpdates(me, model, pageKey, [before]);
}

/** The same for several. */
export function undoOfUpdates(me: Me | undefined, model: Model, pageKey: string, before: readonly Earlier[]) {
  if (!may(me, `record:write:${model.code}`)) return undefined;
  return () =>
    void undo(
      'record:revert',
      pageKey,
      before.map(({ pid, version }) => ({ modelCode: model.code, pid, version })),
    );
}

/** Brings records back from the trash, where the caller may. */
export function undoOfDelete(me: Me | undefined, model: Model, pageKey: string, pids: readonly string[]) {
  if (!may(me, `record:restore:${model.code}`)) return undefined;
  return () =>
    void undo(
      'record:restore',
      pageKey,
      pids.map((pid) => ({ modelCode: model.code, pid })),
    );
}

async function undo(command: string, pageKey: string, payloads: readonly object[]): Promise<void> {
  try {
    const run = client.command(command) as (payload: object) => Promise<unknown>;
    for (const payload of payloads) await run(payload);
    say(t('It is as it was.'));
  } catch (error) {
    say(shownInLine(error));
  }
  await queries.invalidateQueries({ queryKey: recordsKey(pageKey) });
}
