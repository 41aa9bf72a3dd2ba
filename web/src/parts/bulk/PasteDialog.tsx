import { useQuery } from '@tanstack/react-query';
import { nameField, type Command, type Field, type Model, type Page, type RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { plural, t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import { recordsKey } from '../records/record-list.ts';
import { BulkRun } from './BulkRun.tsx';
import { freshRecords } from './fresh-records.ts';
import { MAX_PASTED_ROWS, parseBlock, pasteOver } from './paste-cells.ts';

export interface PasteSource {
  readonly text: string;
  /** Of the columns from the active one on. */
  readonly fields: readonly Field[];
  /** From the active row on; undefined where a row is the head of a group, or is not read. */
  readonly recordAt: (index: number) => RecordData | undefined;
}

interface PasteDialogProps {
  readonly page: Page;
  readonly model: Model;
  readonly commands: readonly Command[];
  readonly source: PasteSource;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** A block of cells over those of the list: what it would change, then the change. */
export default function PasteDialog({ page, model, commands, source, onDone, onClose }: PasteDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: [...recordsKey(page.pageKey), 'preview', 'paste', source.text],
    queryFn: () => prepare(page, model, commands, source),
    gcTime: 0,
    staleTime: Infinity,
  });
  return (
    <Dialog title={t('Paste cells')} size="wide" onClose={onClose}>
      {error ? (
        <FailedRead error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton width={60} />
      ) : data === null ? (
        <Blank title={t('No command of this page changes these columns')} />
      ) : (
        <BulkRun
          page={page}
          model={model}
          bulk={{ command: data.command, operation: 'UPDATE' }}
          items={data.items}
          note={data.note}
          onDone={onDone}
        />
      )}
    </Dialog>
  );
}

async function prepare(page: Page, model: Model, commands: readonly Command[], source: PasteSource) {
  const rows = parseBlock(source.text).slice(0, MAX_PASTED_ROWS);
  const width = Math.max(0, ...rows.map((row) => row.length));
  const fields = source.fields.slice(0, width);
  const covered = rows.flatMap((row, index) => {
    const record = source.recordAt(index);
    return record ? [{ pid: record.pid, row }] : [];
  });
  const codes = [nameField(model), ...fields.map(({ code }) => code)];
  const fresh = await freshRecords(
    page.pageKey,
    covered.map(({ pid }) => pid),
    codes,
  );
  const rowOf = new Map(covered.map(({ pid, row }) => [pid, row]));
  const aligned = fresh.map(({ pid }) => rowOf.get(pid) ?? []);
  const paste = await pasteOver(page, model, commands, fields, fresh, aligned);
  if (!paste) return null;
  const missing = rows.length - fresh.length;
  const notes = [
    ...(paste.leftOut.length > 0
      ? [t('Not changed here: {fields}', { fields: paste.leftOut.map(fieldName).join(', ') })]
      : []),
    ...(missing > 0 ? [plural(missing, '{count} row has no record', '{count} rows have no record')] : []),
  ];
  return { ...paste, note: notes.length > 0 ? notes.join(' · ') : undefined };
}
