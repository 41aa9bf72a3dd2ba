import { useSuspenseQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';

/** The first page that the caller may use, else their first figures. */
export function StartScreen() {
  const { data } = useSuspenseQuery(applicationQuery);
  const [first] = data.pages;
  const [figures] = data.dashboards;
  if (first) return <Navigate to="/pages/$pageKey" params={{ pageKey: first.pageKey }} replace />;
  if (figures) return <Navigate to="/dashboards/$code" params={{ code: figures.code }} replace />;
  return (
    <Blank
      isScreen
      title={t('There is nothing for you here yet')}
      advice={t('No role of yours may read a page. Ask an administrator of your tenant for one.')}
    />
  );
}
