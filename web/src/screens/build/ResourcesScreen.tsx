import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { shown } from '../../app/errors.ts';
import { may } from '../../app/permissions.ts';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { PageLinks } from '../../parts/administration/PageLinks.tsx';
import { resourcesQuery, SHOWN } from '../../parts/build/build-query.ts';
import { nameOf, useDrafts } from '../../parts/build/drafts.ts';
import { NewResourceDialog } from '../../parts/build/NewResourceDialog.tsx';
import { toRows, type ListedRow } from '../../parts/build/listed-rows.ts';
import { applicationsQuery } from '../../parts/environments/environments-query.ts';
import { ChoiceChip } from '../../parts/operate/ChoiceChip.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { useAddress } from '../../parts/operate/use-address.ts';
import { isKind, KIND_ORDER, kindName } from '../../parts/promotions/promotion-words.ts';
import { Blank } from '../../ui/Blank.tsx';
import { BUTTON_LOOK } from '../../ui/button-look.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import styles from './ResourcesScreen.module.css';
import { SearchField } from '../../ui/SearchField.tsx';

/** What applications are made of: models, pages, commands and the rest, by application and kind. */
export function ResourcesScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: application } = useSuspenseQuery(applicationQuery);
  const [{ type, app, q, page: pageText }, change] = useAddress();
  const [isNew, setNew] = useState(false);
  const kind = isKind(type) ? type : undefined;
  const page = Number(pageText) || 1;
  const found = useQuery(resourcesQuery({ type: kind, app, keyword: q }, page));
  const applications = useQuery({
    ...applicationsQuery(application.environment),
    enabled: may(me, 'admin:environments'),
  });
  const { drafts } = useDrafts();
  const { records = [], total = 0 } = found.data ?? {};
  const rows = toRows(records, page === 1 ? drafts : [], { type: kind, app, keyword: q });
  const isFiltered = kind !== undefined || app !== undefined || q !== undefined;
  return (
    <>
      <LogScreen
        title={t('Resources')}
        actions={
          <>
            <Link to="/build/new" className={BUTTON_LOOK}>
              {t('New application or model')}
            </Link>
            <Button look="primary" onClick={() => setNew(true)}>
              <Icon name="add" />
              {t('New resource')}
            </Button>
          </>
        }
        filters={
          <>
            <SearchField
              label={t('Name or code')}
              value={q ?? ''}
              onChange={(next) => change({ q: next === '' ? undefined : next, page: undefined }, { isReplacing: true })}
            />
            <ChoiceChip
              label={t('Kind')}
              value={kind}
              options={KIND_ORDER.map((one) => [one, kindName(one)])}
              onChange={(next) => change({ type: next, page: undefined })}
            />
            {applications.data && applications.data.length > 0 && (
              <ChoiceChip
                label={t('Application')}
                value={app}
                options={applications.data.map(({ application: name }) => [name, name])}
                onChange={(next) => change({ app: next, page: undefined })}
              />
            )}
          </>
        }
      >
        {found.error ? (
          <Blank {...shown(found.error)}>
            <Button onClick={() => void found.refetch()}>{t('Try again')}</Button>
          </Blank>
        ) : found.isPending ? (
          <div className={styles.waiting}>
            <Skeleton width={80} />
            <Skeleton width={70} />
            <Skeleton width={75} />
          </div>
        ) : rows.length === 0 ? (
          <Blank
            title={isFiltered ? t('No resource is like this') : t('Nothing is built yet')}
            advice={isFiltered ? t('Remove a filter to see more.') : t('Begin with a model: what is it that you keep?')}
          >
            {!isFiltered && <Link to="/build/new">{t('New application or model')}</Link>}
          </Blank>
        ) : (
          <>
            <LogTable label={t('Resources')} columns={columns()} rows={rows} keyOf={nameOf} />
            <PageLinks
              text={plural(total, '{count} resource', '{count} resources')}
              total={total}
              page={page}
              size={SHOWN}
              onGo={(next) => change({ page: next > 1 ? String(next) : undefined })}
            />
          </>
        )}
      </LogScreen>
      {isNew && <NewResourceDialog type={kind} app={app} onClose={() => setNew(false)} />}
    </>
  );
}

function columns(): LogColumn<ListedRow>[] {
  return [
    {
      label: t('Name'),
      cell: ({ resourceType, code, name }) => (
        <Link to="/build/$type/$code" params={{ type: resourceType, code }} search={{}}>
          {name}
        </Link>
      ),
    },
    { label: t('Kind'), cell: ({ resourceType }) => kindName(resourceType) },
    { label: t('Code'), cell: ({ code }) => <code className={styles.code}>{code}</code>, isWide: true },
    { label: t('Application'), cell: ({ app }) => app ?? '', isMinor: true },
    {
      label: t('State'),
      cell: ({ hasDraft, version }) =>
        hasDraft ? (
          <StatusMark tone="waiting">{version === null ? t('New, not saved') : t('Not saved')}</StatusMark>
        ) : (
          ''
        ),
    },
    { label: t('Version'), cell: ({ version }) => version ?? '', isNumber: true, isMinor: true },
    {
      label: t('Changed'),
      cell: ({ updatedAt }) => updatedAt !== null && <Moment at={updatedAt} />,
      isNumber: true,
      isMinor: true,
    },
  ];
}
