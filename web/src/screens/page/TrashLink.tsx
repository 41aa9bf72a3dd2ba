import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Model, Page } from '../../app/application.ts';
import { mayAny } from '../../app/permissions.ts';
import { meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';

/** Leads to what was deleted, those who may do something with it. */
export function TrashLink({ page: { pageKey }, model }: { readonly page: Page; readonly model: Model }) {
  const { data: me } = useQuery(meQuery);
  if (!mayAny(me, [`record:restore:${model.code}`, `record:purge:${model.code}`])) return null;
  return (
    <Link to="/pages/$pageKey/trash" params={{ pageKey }}>
      {t('Deleted records')}
    </Link>
  );
}
