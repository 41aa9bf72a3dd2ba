import type { ReactNode } from 'react';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';

interface MoreCommandsProps {
  /** Without a border, beside other plain buttons. */
  readonly isPlain?: boolean;
  /** A `MenuItem` for each command. */
  readonly children: ReactNode;
}

/** The menu of the commands that have no button of their own. */
export function MoreCommands({ isPlain = false, children }: MoreCommandsProps) {
  return (
    <Menu
      align="end"
      trigger={
        <Button {...(isPlain && { look: 'plain' })} label={t('More commands')}>
          <Icon name="more" />
        </Button>
      }
    >
      {children}
    </Menu>
  );
}
