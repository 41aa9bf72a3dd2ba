import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';

/** An address that leads nowhere. */
export function LostScreen() {
  return (
    <Blank
      isScreen
      title={t('There is nothing at this address')}
      advice={t('It may have been moved, or you may not see it.')}
    >
      <Link to="/">{t('Go to the start')}</Link>
    </Blank>
  );
}
