import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';

interface FailedReadProps {
  readonly error: Error;
  readonly onRetry: () => void;
}

/** Something could not be read: why, and once more. */
export function FailedRead({ error, onRetry }: FailedReadProps) {
  const { title, advice, traceId } = shown(error);
  return (
    <Problem title={title} advice={advice} traceId={traceId}>
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </Problem>
  );
}
