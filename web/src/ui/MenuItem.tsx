import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import styles from './Menu.module.css';

interface MenuItemProps {
  readonly onClick?: () => void;
  /** Why it cannot be done now; it stays in its place. */
  readonly reason?: string | null | undefined;
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

/** One thing to do. */
export function MenuItem({ onClick, reason, isDangerous = false, children }: MenuItemProps) {
  const isDisabled = typeof reason === 'string';
  return (
    <Base.Item
      className={[styles.item, isDangerous && !isDisabled && styles.danger].filter(Boolean).join(' ')}
      disabled={isDisabled}
      {...(onClick && { onClick })}
    >
      <span>
        {children}
        {isDisabled && <span className={styles.reason}> {reason}</span>}
      </span>
    </Base.Item>
  );
}
