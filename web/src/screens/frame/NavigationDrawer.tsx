import type { Application, Me } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Navigation } from './Navigation.tsx';

interface NavigationDrawerProps {
  readonly application: Application;
  readonly me: Me;
  readonly onClose: () => void;
}

/** The navigation on a phone. */
export function NavigationDrawer({ application, me, onClose }: NavigationDrawerProps) {
  return (
    <Dialog title={t('Navigation')} onClose={onClose}>
      <Navigation application={application} me={me} onGo={onClose} />
    </Dialog>
  );
}
