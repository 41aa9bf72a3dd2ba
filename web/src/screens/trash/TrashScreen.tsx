import { useInfiniteQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { findField, findModel, isSystemField, nameField, type Model, type Page } from '../../app/application.ts';
import type { Schemas } from '../../app/api.d.ts';
import { client } from '../../app/client.ts';
import { shownInLine } from '../../app/errors.ts';
import { fieldName } from '../../app/field-names.ts';
import { say } from '../../app/notices.ts';
import { may } from '../../app/permissions.ts';
import { applicationQuery, meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { textOf } from '../../parts/fields/field-kind.ts';
import { FIELD_KINDS } from '../../parts/fields/field-kinds.ts';
import { Found } from '../../parts/operate/Found.tsx';
import { LogScreen } from '../../parts/operate/LogScreen.tsx';
import { LogTable, type LogColumn } from '../../parts/operate/LogTable.tsx';
import { Moment } from '../../parts/operate/Moment.tsx';
import { MoreRows } from '../../parts/operate/MoreRows.tsx';
import { useAddress } from '../../parts/operate/use-address.ts';
import { recordsKey } from '../../parts/records/record-list.ts';
import { EraseDialog } from '../../parts/trash/EraseDialog.tsx';
import { trashQuery } from '../../parts/trash/trash-query.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { LostScreen } from '../start/LostScreen.tsx';

type Deleted = Schemas['DeletedRecord'];

/** Of what the page shows: by these a record is known again. */
const MOST_FIELDS = 3;

/** What was deleted on a page, with the way back, and the way to erase it for good. */
export function TrashScreen() {
  const { pageKey } = useParams({ from: '/pages/$pageKey/trash' });
  const { data: application } = useSuspenseQuery(applicationQuery);
  const page = application.pages.find((one) => one.pageKey === pageKey);
  const model = page && findModel(application, page.modelCode);
  return page && model ? <Trash page={page} model={model} /> : <LostScreen />;
}

function Trash({ page, model }: { readonly page: Page; readonly model: Model }) {
  const { pageKey } = page;
  const cache = useQueryClient();
  const { data: me } = useSuspenseQuery(meQuery);
  const [{ keyword = '' }, change] = useAddress();
  const [erased, setErased] = useState<Deleted | null>(null);
  const found = useInfiniteQuery(trashQuery(pageKey, keyword));
  const rows = found.data?.pages.flatMap(({ records }) => records) ?? [];
  const nameOf = (record: Deleted) => textOf(record[nameField(model)]) || record.pid;
  const readAnew = () => cache.invalidateQueries({ queryKey: recordsKey(pageKey) });

  async function restore(record: Deleted) {
    const bring = client.command('record:restore') as (payload: object) => Promise<unknown>;
    try {
      await bring({ modelCode: model.code, pid: record.pid });
      say(t('{name} is there again.', { name: nameOf(record) }));
    } catch (error) {
      say(shownInLine(error));
    }
    await readAnew();
  }

  const actions = (record: Deleted) => (
    <>
      {may(me, `record:restore:${model.code}`) && (
        <Button
          look="plain"
          aria-label={t('Restore {name}', { name: nameOf(record) })}
          onClick={() => void restore(record)}
        >
          {t('Restore')}
        </Button>
      )}
      {may(me, `record:purge:${model.code}`) && (
        <Button
          look="plain"
          aria-label={t('Erase {name} for good', { name: nameOf(record) })}
          onClick={() => setErased(record)}
        >
          {t('Erase')}
        </Button>
      )}
    </>
  );
  return (
    <LogScreen
      title={t('Deleted: {page}', { page: page.name })}
      actions={
        <Link to="/pages/$pageKey" params={{ pageKey }}>
          {t('Back to {page}', { page: page.name })}
        </Link>
      }
      filters={
        <SearchField
          label={t('Search')}
          value={keyword}
          onChange={(next) => change({ keyword: next === '' ? undefined : next }, { isReplacing: true })}
        />
      }
    >
      <Found
        query={found}
        isEmpty={rows.length === 0}
        none={
          <Blank
            title={keyword === '' ? t('Nothing is deleted here') : t('No deleted record is like this')}
            advice={t('What is deleted on this page comes here, and stays until it is erased.')}
          />
        }
      >
        <LogTable
          label={t('Deleted records')}
          columns={[...columns(page, model), { label: t('Actions'), cell: actions }]}
          rows={rows}
          keyOf={({ pid }) => pid}
        />
        <MoreRows query={found} />
      </Found>
      {erased && (
        <EraseDialog
          modelCode={model.code}
          pid={erased.pid}
          name={nameOf(erased)}
          onClose={() => setErased(null)}
          onDone={() => {
            setErased(null);
            say(t('{name} is erased.', { name: nameOf(erased) }));
            void readAnew();
          }}
        />
      )}
    </LogScreen>
  );
}

/** The fields by which records are known, and who has deleted them. */
function columns(page: Page, model: Model): LogColumn<Deleted>[] {
  const codes = [...new Set([nameField(model), ...page.columns.map(({ fieldName: name }) => name)])];
  const fields = codes.flatMap((code) => findField(model, code) ?? []);
  const plain = fields.filter(({ code, type }) => !isSystemField(code) && !FIELD_KINDS[type].isChosen);
  return [
    ...plain.slice(0, MOST_FIELDS).map((field, index): LogColumn<Deleted> => {
      const { Cell, isNumeric = false } = FIELD_KINDS[field.type];
      return {
        label: fieldName(field),
        cell: (record) => <Cell field={field} value={record[field.code] ?? null} record={record} />,
        isNumber: isNumeric,
        isMinor: index > 1,
      };
    }),
    { label: t('Deleted at'), cell: ({ deleted_at: at }) => <Moment at={at} /> },
    {
      label: t('Who'),
      cell: ({ deleted_by: pid, expanded }) => <span title={pid}>{expanded.deleted_by?.username ?? pid}</span>,
    },
  ];
}
