import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { copy } from '../operate/copy.ts';
import { Code } from '../operate/Folded.tsx';

interface SecretDialogProps {
  readonly secret: string;
  /** Whether it takes the place of another one. */
  readonly isExchanged?: boolean;
  readonly onClose: () => void;
}

/** A secret, the only time that it is shown. */
export function SecretDialog({ secret, isExchanged = false, onClose }: SecretDialogProps) {
  return (
    <Dialog
      title={t('The secret, shown once')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => void copy(secret)}>{t('Copy')}</Button>
          <Button look="primary" onClick={onClose}>
            {t('I have kept it')}
          </Button>
        </>
      }
    >
      <Code>{secret}</Code>
      <p>
        {isExchanged
          ? t('Give it to the receiver. The one before signs beside it for 24 hours.')
          : t('Give it to the receiver, which checks by it who has sent a request.')}
      </p>
    </Dialog>
  );
}
