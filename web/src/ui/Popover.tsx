import { Popover as Base } from '@base-ui/react/popover';
import { useState, type ReactElement, type ReactNode } from 'react';
import styles from './Popover.module.css';

interface PopoverProps {
  /** A button. */
  readonly trigger: ReactElement;
  readonly label: string;
  readonly align?: 'start' | 'end';
  /** Drawn when it is open. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button with something to fill in below it. `Esc` closes it. */
export function Popover({ trigger, label, align = 'start', children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => setOpen(open)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align={align} sideOffset={4}>
          <Base.Popup className={styles.popup} aria-label={label}>
            {children(() => setOpen(false))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
