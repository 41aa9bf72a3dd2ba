import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';

interface FailedScreenProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** A screen that could not be loaded, or not be drawn. */
export function FailedScreen({ error, onRetry }: FailedScreenProps) {
  const { title, advice } = shown(error);
  return (
    <Blank isScreen title={title} advice={advice}>
      <Button look="primary" onClick={onRetry}>
        {t('Try again')}
      </Button>
    </Blank>
  );
}
