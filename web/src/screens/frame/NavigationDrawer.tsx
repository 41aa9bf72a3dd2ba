import type { Application } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Navigation } from './Navigation.tsx';

interface NavigationDrawerProps {
  readonly application: Application;
  readonly onClose: () => void;
}

/** The navigation on a phone. */
export function NavigationDrawer({ application, onClose }: NavigationDrawerProps) {
  return (
    <Dialog title={t('Navigation')} onClose={onClose}>
      <Navigation application={application} onGo={onClose} />
    </Dialog>
  );
}
