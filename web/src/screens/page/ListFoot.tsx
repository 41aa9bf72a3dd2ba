import type { Model, Page, RecordData } from '../../app/application.ts';
import { plural, t } from '../../app/texts.ts';
import type { BulkCommand } from '../../parts/bulk/run-batch.ts';
import { textOf } from '../../parts/fields/field-kind.ts';
import { MoreCommands } from '../../parts/commands/MoreCommands.tsx';
import { FIGURE_NAMES, figureName, formatFigure } from '../../parts/records/figures.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import styles from './PageScreen.module.css';
import { TrashLink } from './TrashLink.tsx';
import type { useList } from './use-list.ts';

interface ListFootProps {
  readonly page: Page;
  readonly model: Model;
  readonly list: ReturnType<typeof useList>;
  /** Of those that the caller may execute. */
  readonly bulkCommands: readonly BulkCommand[];
  readonly onClear: () => void;
  readonly onRun: (bulk: BulkCommand) => void;
}

/** How many there are, and what can be done with those that are selected. */
export function ListFoot({ page, model, list, bulkCommands, onClear, onRun }: ListFootProps) {
  const { records, groups, selection } = list;
  const { size } = selection;
  const isPhone = useMedia(PHONE);
  const remover = bulkCommands.find(({ operation }) => operation === 'DELETE');
  // Those that the state of a selected record allows come first.
  const [first, ...others] = bulkCommands
    .filter(({ operation }) => operation !== 'DELETE')
    .toSorted((one, other) => Number(isFor(other, selection.records)) - Number(isFor(one, selection.records)));
  return (
    <footer className={styles.foot}>
      <span role="status">
        {size > 0
          ? plural(size, '{count} record selected', '{count} records selected')
          : records.total !== null && plural(records.total, '{count} record', '{count} records')}
        {size === 0 && groups.isCut && ` · ${t('the first 1,000 groups')}`}
      </span>
      {size === 0 && <TrashLink page={page} model={model} />}
      {size === 0 && isPhone && <Figures list={list} />}
      {size > 0 && (
        <>
          <Button look="plain" {...(isPhone && { label: t('Clear the selection') })} onClick={onClear}>
            {isPhone ? <Icon name="close" /> : t('Clear the selection')}
          </Button>
          <span className={styles.push} />
          {first && <Button onClick={() => onRun(first)}>{first.command.name}</Button>}
          {others.length > 0 && (
            <MoreCommands>
              {others.map((bulk) => (
                <MenuItem key={`${bulk.command.code} ${bulk.operation}`} onClick={() => onRun(bulk)}>
                  {bulk.command.name}
                </MenuItem>
              ))}
            </MoreCommands>
          )}
          {remover && (
            <Button {...(isPhone && { label: t('Delete the selected records') })} onClick={() => onRun(remover)}>
              {isPhone ? <Icon name="trash" /> : plural(size, 'Delete {count} record', 'Delete {count} records')}
            </Button>
          )}
        </>
      )}
    </footer>
  );
}

function isFor({ command: { transition } }: BulkCommand, records: readonly RecordData[]): boolean {
  return (
    transition === undefined || records.some((record) => transition.from.includes(textOf(record[transition.field])))
  );
}

/** Phones have no columns to put them under. */
function Figures({ list: { figures, totals, columns } }: Pick<ListFootProps, 'list'>) {
  return (
    <span className={styles.figures}>
      {figures.map(({ code, kind }) => (
        <span key={code}>
          {`${columns.find((column) => column.code === code)?.label} · ${t(FIGURE_NAMES[kind])} `}
          <strong>{totals ? formatFigure(totals[figureName(code)], kind) : '…'}</strong>
        </span>
      ))}
    </span>
  );
}
