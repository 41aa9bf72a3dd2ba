import { useRef, useState, type DragEvent } from 'react';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from './FileDrop.module.css';
import { formatOf, type ImportFormat } from './import-search.ts';

interface FileDropProps {
  readonly onUploaded: (filePid: string, format: ImportFormat) => void;
}

/** Takes a file with rows, dropped or chosen, and uploads it. */
export function FileDrop({ onUploaded }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [sending, setSending] = useState<string | null>(null);
  const [problem, setProblem] = useState<ShownError | null>(null);

  async function take(file: File | undefined) {
    if (!file) return;
    const format = formatOf(file.name);
    setProblem(null);
    if (!format) {
      setProblem({ title: t('{name} is no CSV file, workbook or JSON lines.', { name: file.name }), traceId: null });
      return;
    }
    setSending(file.name);
    try {
      const body = new FormData();
      body.append('file', file);
      onUploaded((await ask('POST /api/files', { body })).pid, format);
    } catch (error) {
      setProblem(shown(error));
      setSending(null);
    }
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  }

  return (
    <>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      <div
        role="group"
        aria-label={t('A file with rows')}
        className={styles.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon name="import" />
        {sending === null ? (
          <>
            <p>{t('Drop a file here')}</p>
            <Button look="primary" onClick={() => input.current?.click()}>
              {t('Choose a file')}
            </Button>
            <p className={styles.kinds}>{t('CSV, Excel (.xlsx) or JSON lines. Its first row names the columns.')}</p>
          </>
        ) : (
          <p role="status">{t('Uploading {name}', { name: sending })}</p>
        )}
        <input
          ref={input}
          type="file"
          className="visually-hidden"
          tabIndex={-1}
          aria-label={t('Choose a file')}
          accept=".csv,.tsv,.txt,.xlsx,.ndjson,.jsonl"
          onChange={({ target }) => void take(target.files?.[0])}
        />
      </div>
    </>
  );
}
