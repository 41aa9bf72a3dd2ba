import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { t } from '../app/texts.ts';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';
import styles from './Dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly size?: 'wide' | undefined;
  /** Without it, the dialog cannot be dismissed. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** Open as long as it is there. `Esc` closes it, and the focus goes back to where it came from. */
export function Dialog({ title, size, onClose, children, actions }: DialogProps) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose?.()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={[styles.popup, size && styles[size]].filter(Boolean).join(' ')}>
          <Base.Title className={styles.title}>{title}</Base.Title>
          <div className={styles.body}>
            {children}
            {actions !== undefined && <div className={styles.actions}>{actions}</div>}
          </div>
          {onClose && (
            <Button look="plain" className={styles.close} label={t('Close')} onClick={onClose}>
              <Icon name="close" />
            </Button>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
