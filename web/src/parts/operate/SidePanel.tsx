import { useEffect, useRef, type ReactNode } from 'react';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import styles from './SidePanel.module.css';

interface SidePanelProps {
  readonly title: string;
  /** Beside the title, above what scrolls. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** What a row stands for, beside its table; over it on a phone. `Esc` closes it. */
export function SidePanel({ title, actions, children, onClose }: SidePanelProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useKeys({ Escape: onClose });
  return (
    <section ref={panel} className={styles.panel} tabIndex={-1} aria-label={title}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {actions}
        <Button look="plain" label={t('Close')} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      <div className={styles.body}>{children}</div>
    </section>
  );
}
