import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Application, Command, Model, Page } from '../../app/application.ts';
import { say } from '../../app/notices.ts';
import { meQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import type { PasteSource } from '../../parts/bulk/PasteDialog.tsx';
import type { BulkCommand } from '../../parts/bulk/run-batch.ts';
import { commandsOf } from '../../parts/commands/editing-command.ts';
import type { Selection } from '../../parts/grid/use-selection.ts';
import { Picker } from '../../parts/fields/picker.ts';
import { FailedDialog } from '../../parts/loading/FailedDialog.tsx';
import { lazyPart } from '../../parts/loading/lazy-part.tsx';
import { undoOfDelete } from '../../parts/record/undo.ts';

const CommandDialog = lazyPart(
  async () => (await Promise.all([import('../../parts/commands/CommandDialog.tsx'), Picker.preload()]))[0],
  FailedDialog,
);
const DeleteDialog = lazyPart(() => import('../../parts/commands/DeleteDialog.tsx'), FailedDialog);
const BulkDialog = lazyPart(() => import('../../parts/bulk/BulkDialog.tsx'), FailedDialog);
const PasteDialog = lazyPart(() => import('../../parts/bulk/PasteDialog.tsx'), FailedDialog);
const KeysDialog = lazyPart(() => import('./KeysDialog.tsx'), FailedDialog);

/** What is open over a list. */
export type ListDialog =
  | { readonly kind: 'keys' }
  | { readonly kind: 'delete' | 'bulk'; readonly bulk: BulkCommand }
  | { readonly kind: 'paste'; readonly source: PasteSource };

interface ListDialogsProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  /** The command whose form makes something new. */
  readonly created: Command | undefined;
  readonly dialog: ListDialog | null;
  readonly selection: Selection;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function ListDialogs(props: ListDialogsProps) {
  const { application, page, model, created, dialog, selection, onCreated, onClose } = props;
  const { data: me } = useQuery(meQuery);
  const records = selection.records;
  const done = () => {
    selection.clear();
    onClose();
  };
  return (
    <Suspense>
      {created && (
        <CommandDialog
          page={page}
          model={model}
          command={created}
          record={null}
          onClose={onCreated}
          onDone={() => {
            onCreated();
            say(t('{name}: done', { name: created.name }));
          }}
        />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteDialog
          page={page}
          command={dialog.bulk.command}
          pids={records.map(({ pid }) => pid)}
          onClose={onClose}
          onDone={(pids) => {
            done();
            const text = plural(pids.length, '{count} record deleted', '{count} records deleted');
            say(text, undoOfDelete(me, model, page.pageKey, pids));
          }}
        />
      )}
      {dialog?.kind === 'bulk' && (
        <BulkDialog page={page} model={model} bulk={dialog.bulk} records={records} onDone={done} onClose={onClose} />
      )}
      {dialog?.kind === 'paste' && (
        <PasteDialog
          page={page}
          model={model}
          commands={commandsOf(application, page)}
          source={dialog.source}
          onDone={onClose}
          onClose={onClose}
        />
      )}
      {dialog?.kind === 'keys' && <KeysDialog onClose={onClose} />}
    </Suspense>
  );
}
