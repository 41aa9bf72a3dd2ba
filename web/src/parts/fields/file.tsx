import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shownInLine } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { FileLink } from '../files/FileLink.tsx';
import styles from './file.module.css';
import { textOf, type CellProps, type EditorProps, type FieldKind } from './field-kind.ts';

function useFileInfo(pid: string) {
  return useQuery({
    queryKey: ['file', pid],
    queryFn: ({ signal }) => ask('GET /api/files/{pid}/info', { params: { pid }, signal }),
    enabled: pid !== '',
    staleTime: Infinity,
  });
}

function FileCell({ value }: CellProps) {
  const pid = textOf(value);
  const { data } = useFileInfo(pid);
  if (data) return <FileLink pid={pid} name={data.name} contentType={data.contentType} size={Number(data.size)} />;
  return <>{pid === '' ? '' : '…'}</>;
}

/** Uploaded as soon as it is chosen; the record names it when the form is sent. */
function FileEditor({ field, value, onChange, ties }: EditorProps) {
  const pid = textOf(value);
  const { data } = useFileInfo(pid);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  async function upload(file: File | undefined) {
    if (!file) return;
    setSending(true);
    setProblem(null);
    try {
      const body = new FormData();
      body.append('file', file);
      onChange((await ask('POST /api/files', { body })).pid);
    } catch (error) {
      setProblem(shownInLine(error));
    }
    setSending(false);
  }

  return (
    <div className={styles.editor}>
      <Button disabled={isSending} aria-describedby={ties['aria-describedby']} onClick={() => input.current?.click()}>
        {t('Choose a file')}
      </Button>
      <input
        {...ties}
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        accept={field.accept?.join(',')}
        disabled={isSending}
        onChange={({ target }) => void upload(target.files?.[0])}
      />
      {pid !== '' && (
        <span className={styles.chosen}>
          {data?.name ?? '…'}
          <Button look="plain" label={t('Remove the file')} onClick={() => onChange(null)}>
            <Icon name="close" />
          </Button>
        </span>
      )}
      {isSending && <span role="status">{t('Uploading')}</span>}
      {problem !== null && <span role="alert">{problem}</span>}
    </div>
  );
}

export const FILE: FieldKind = {
  Cell: FileCell,
  Editor: FileEditor,
  width: 136,
  widest: 220,
  isWide: true,
  fromText: null,
};
