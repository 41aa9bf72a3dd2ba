import { t } from '../../app/texts.ts';
import type { Run } from './runs-query.ts';

/** What has begun a run. */
export function triggerName(trigger: Run['trigger']): string {
  const names = {
    manual: t('by hand'),
    event: t('by an event'),
    command: t('by a command'),
    schedule: t('by its schedule'),
  };
  return names[trigger];
}
