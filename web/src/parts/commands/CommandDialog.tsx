import { Dialog } from '../../ui/Dialog.tsx';
import { CommandForm, type CommandFormProps } from './CommandForm.tsx';

interface CommandDialogProps extends Omit<CommandFormProps, 'onCancel'> {
  readonly onClose: () => void;
}

/** A command with its form, over the screen. */
export default function CommandDialog({ onClose, ...form }: CommandDialogProps) {
  return (
    <Dialog title={form.command.name} size="wide" onClose={onClose}>
      <CommandForm {...form} onCancel={onClose} />
    </Dialog>
  );
}
