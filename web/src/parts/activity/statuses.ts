import { t } from '../../app/texts.ts';
import type { Tone } from '../../ui/StatusMark.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  RECEIVED: 'going',
  PENDING: 'going',
  RUNNING: 'going',
  RETRYING: 'going',
  WAITING: 'waiting',
  SUCCEEDED: 'good',
  FAILED: 'bad',
};

/** How the state of an execution, an import or a run looks. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'quiet';
}

/** And what people call it. */
export function statusText(status: string): string {
  const texts: Readonly<Record<string, string>> = {
    RECEIVED: t('Waiting to begin'),
    PENDING: t('Waiting to begin'),
    RUNNING: t('Running'),
    RETRYING: t('Trying again'),
    WAITING: t('Waiting'),
    SUCCEEDED: t('Done'),
    FAILED: t('Failed'),
    CANCELLED: t('Cancelled'),
  };
  return texts[status] ?? status;
}

/** And that of a step of a run. */
export function stepStatusText(status: string): string {
  return status === 'SKIPPED' ? t('Skipped') : statusText(status);
}
