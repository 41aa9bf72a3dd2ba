import { useState, type ReactNode } from 'react';
import { ActionDialog } from './ActionDialog.tsx';
import { ReasonField } from './ReasonField.tsx';

interface ReasonDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isDangerous?: boolean | undefined;
  /** Whether it can be done; absent: it can. */
  readonly isReady?: boolean | undefined;
  /** @throws KeelsonError */
  readonly onAct: (reason: string) => Promise<void>;
  readonly onClose: () => void;
  /** What it does. */
  readonly children?: ReactNode;
}

/** Something that takes a reason. */
export function ReasonDialog({ onAct, isReady = true, children, ...rest }: ReasonDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <ActionDialog {...rest} isReady={isReady && reason.trim() !== ''} onAct={() => onAct(reason.trim())}>
      {(problems) => (
        <>
          {children}
          <ReasonField value={reason} problem={problems.reason} onChange={setReason} />
        </>
      )}
    </ActionDialog>
  );
}
