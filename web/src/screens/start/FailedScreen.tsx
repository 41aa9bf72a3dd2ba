import type { ErrorComponentProps } from '@tanstack/react-router';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';

/** A screen that could not be drawn. */
export function FailedScreen({ error, reset }: ErrorComponentProps) {
  const { title, advice } = shown(error);
  return (
    <Blank isScreen title={title} advice={advice}>
      <Button look="primary" onClick={reset}>
        {t('Try again')}
      </Button>
    </Blank>
  );
}
