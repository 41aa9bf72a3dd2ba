import type { Application } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import type { Import } from './activity-query.ts';

/** What people call an import. */
export function importName(application: Application, { pageKey, dryRun }: Import): string {
  const page = application.pages.find((one) => one.pageKey === pageKey)?.name ?? pageKey;
  return dryRun ? t('Try an import into {page}', { page }) : t('Import into {page}', { page });
}
