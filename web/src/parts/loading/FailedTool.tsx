import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import type { FailedPartProps } from './lazy-part.tsx';

/** In the place of a tool of a bar whose program could not be loaded. */
export function FailedTool({ error, onRetry }: FailedPartProps) {
  return (
    <Button look="plain" label={`${shown(error).title} ${t('Try again')}`} onClick={onRetry}>
      <Icon name="warning" />
    </Button>
  );
}
