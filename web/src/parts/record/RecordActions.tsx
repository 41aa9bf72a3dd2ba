import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { nameField, type Application, type Model, type Page, type RecordData } from '../../app/application.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { commandFields } from '../commands/command-fields.ts';
import { MoreCommands } from '../commands/MoreCommands.tsx';
import { textOf } from '../fields/field-kind.ts';
import { FailedDialog } from '../loading/FailedDialog.tsx';
import { lazyPart } from '../loading/lazy-part.tsx';
import { recordCommandsQuery } from './record-query.ts';
import { undoOfDelete } from './undo.ts';

const DeleteDialog = lazyPart(() => import('../commands/DeleteDialog.tsx'), FailedDialog);

interface RecordActionsProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly record: RecordData;
  readonly onRun: (code: string) => void;
  readonly onGone: () => void;
}

/** The commands of a record. One that its state does not allow stays in its place, with the reason. */
export function RecordActions({ application, page, model, record, onRun, onGone }: RecordActionsProps) {
  const { data: offered = [] } = useQuery(recordCommandsQuery(page.pageKey, record.pid));
  const { data: me } = useQuery(meQuery);
  const [deleting, setDeleting] = useState<string | null>(null);
  const commands = offered.flatMap((offer) => {
    const command = application.commands.find(({ code }) => code === offer.code);
    return command ? [{ ...offer, command }] : [];
  });
  const edit = commands.find(
    ({ command, allowed }) => allowed && command.operations.includes('UPDATE') && command.transition === undefined,
  );
  // Where records are not edited, what their state leads to is what people do.
  const next = edit ? undefined : commands.find(({ command, allowed }) => allowed && command.transition !== undefined);
  // One that takes a single field does not edit the record: its name says what it does.
  const isWhole = edit !== undefined && commandFields(edit.command, model, page).length > 1;
  const others = commands.filter((one) => one !== edit && one !== next);
  const deleteCommand = commands.find(({ code }) => code === deleting)?.command;
  return (
    <>
      {edit && (
        <Button title={`${edit.command.name} (e)`} data-key="e" data-run={edit.code} onClick={() => onRun(edit.code)}>
          <Icon name="edit" />
          <span>{isWhole ? t('Edit') : edit.command.name}</span>
        </Button>
      )}
      {next && (
        <Button title={next.name} data-run={next.code} onClick={() => onRun(next.code)}>
          <span>{next.name}</span>
        </Button>
      )}
      {others.length > 0 && (
        <MoreCommands isPlain>
          {others.map(({ code, name, reason, command }) => {
            const isDelete = command.operations.every((operation) => operation === 'DELETE');
            return (
              <MenuItem
                key={code}
                reason={reason}
                isDangerous={isDelete}
                onClick={() => (isDelete ? setDeleting(code) : onRun(code))}
              >
                {name}
              </MenuItem>
            );
          })}
        </MoreCommands>
      )}
      {deleteCommand && (
        <Suspense>
          <DeleteDialog
            page={page}
            command={deleteCommand}
            pids={[record.pid]}
            name={textOf(record[nameField(model)])}
            onClose={() => setDeleting(null)}
            onDone={(pids) => {
              setDeleting(null);
              onGone();
              say(
                plural(pids.length, '{count} record deleted', '{count} records deleted'),
                undoOfDelete(me, model, page.pageKey, pids),
              );
            }}
          />
        </Suspense>
      )}
    </>
  );
}
