import type { Command, Model, Page, RecordData } from '../../app/application.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { CommandForm } from './CommandForm.tsx';

interface CommandDialogProps {
  readonly page: Page;
  readonly model: Model;
  readonly command: Command;
  readonly record: RecordData | null;
  readonly onDone: (result: unknown) => void;
  readonly onClose: () => void;
}

/** A command with its form, over the screen. */
export default function CommandDialog({ page, model, command, record, onDone, onClose }: CommandDialogProps) {
  return (
    <Dialog title={command.name} size="wide" onClose={onClose}>
      <CommandForm page={page} model={model} command={command} record={record} onDone={onDone} onCancel={onClose} />
    </Dialog>
  );
}
