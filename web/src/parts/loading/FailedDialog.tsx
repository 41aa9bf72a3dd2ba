import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import type { FailedPartProps } from './lazy-part.tsx';

/** In the place of a dialog whose program could not be loaded. */
export function FailedDialog({ error, onRetry, onClose }: FailedPartProps & { readonly onClose: () => void }) {
  const { title, advice } = shown(error);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" onClick={onRetry}>
            {t('Try again')}
          </Button>
        </>
      }
    >
      {advice !== undefined && <p role="alert">{advice}</p>}
    </Dialog>
  );
}
