import { useRef, useState } from 'react';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import styles from './CsvChoice.module.css';
import { fieldsOfRows, rowsOfCsv } from './csv-fields.ts';
import type { FieldDraft } from './model-content.ts';

interface Found {
  readonly fields: readonly FieldDraft[];
  /** Rows that were looked at. */
  readonly count: number;
  /** Of the file's name. */
  readonly title: string;
}

/** More of a file says nothing else about its columns. */
const READ_BYTES = 1_000_000;

/** A CSV file whose columns become fields. It is read here; its rows are imported later. */
export function CsvChoice({ onRead }: { readonly onRead: (found: Found) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);

  async function read(chosen: File | undefined) {
    if (!chosen) return;
    const rows = rowsOfCsv(await chosen.slice(0, READ_BYTES).text());
    const fields = fieldsOfRows(rows);
    setFile(chosen.name);
    const title = chosen.name.replace(/\.\w+$/, '').replace(/[_-]+/g, ' ');
    if (fields.length > 0) onRead({ fields, count: rows.length - 1, title });
  }

  return (
    <div
      className={styles.choice}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void read(event.dataTransfer.files[0]);
      }}
    >
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label={t('A CSV file')}
        onChange={({ target }) => void read(target.files?.[0])}
      />
      <Button onClick={() => input.current?.click()}>
        <Icon name="import" />
        {t('Take the fields of a CSV file')}
      </Button>
      <span>{file ?? t('or drop it here; or write the fields below')}</span>
    </div>
  );
}
