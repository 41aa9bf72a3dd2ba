import { KeelsonError } from '@keelson/client';
import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import { shown, type ShownError } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from './ActionDialog.module.css';

/** What is wrong with which field, by its path. */
export type FieldProblems = Readonly<Record<string, string>>;

interface ActionDialogProps {
  readonly title: string;
  readonly size?: 'wide' | undefined;
  /** Says what is done, and to what. */
  readonly action: string;
  readonly isDangerous?: boolean | undefined;
  /** False: something must still be filled in. */
  readonly isReady?: boolean | undefined;
  /** Closes the dialog itself. @throws KeelsonError */
  readonly onAct: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: (problems: FieldProblems) => ReactNode;
}

/** Asks for what an action needs, does it, and says at its fields what is wrong. */
export function ActionDialog({ title, size, action, isDangerous, isReady = true, ...rest }: ActionDialogProps) {
  const { onAct, onClose, children } = rest;
  const form = useId();
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [problems, setProblems] = useState<FieldProblems>({});
  const [isSending, setSending] = useState(false);

  async function act() {
    setSending(true);
    setProblem(null);
    setProblems({});
    try {
      await onAct();
    } catch (error) {
      const found = error instanceof KeelsonError ? error.fieldErrors : {};
      setProblems(found);
      const told = Object.entries(found).map(([path, text]) => `${path} ${text}`);
      const { advice, ...failed } = shown(error);
      setProblem({
        ...failed,
        ...(told.length > 0 ? { advice: told.join('. ') } : advice !== undefined && { advice }),
      });
      setSending(false);
    }
  }

  return (
    <Dialog
      title={title}
      size={size}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" form={form} look={isDangerous ? 'danger' : 'primary'} disabled={isSending || !isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          if (isReady && !isSending) void act();
        }}
      >
        {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
        {children(problems)}
      </form>
    </Dialog>
  );
}
