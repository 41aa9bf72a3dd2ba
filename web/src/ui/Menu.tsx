import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import styles from './Menu.module.css';

interface MenuProps {
  /** A button. */
  readonly trigger: ReactElement;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** A button with a list of what can be done or chosen. */
export function Menu({ trigger, align = 'start', children }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align={align} sideOffset={4}>
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
