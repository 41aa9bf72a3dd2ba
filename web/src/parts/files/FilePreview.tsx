import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../app/client.ts';
import { shown, shownInLine } from '../../app/errors.ts';
import { formatRounded } from '../../app/format.ts';
import { say } from '../../app/notices.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { downloadFile } from './download.ts';
import styles from './FilePreview.module.css';

interface FilePreviewProps {
  readonly pid: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  readonly onClose: () => void;
}

/** What a browser shows by itself, and no script can be in. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];
const PDF = 'application/pdf';
/** Shown as it is written, markup too. */
const TEXTS = /^text\/|^application\/(json|xml|yaml)$/;
const KIB = 1024;
/** Larger files are for their own programs. */
const LARGEST_SHOWN = 25 * KIB * KIB;
const LARGEST_TEXT = KIB * KIB;

/** A file over the screen: images, PDF and texts as they are, anything else as a download. */
export default function FilePreview({ pid, name, contentType, size, onClose }: FilePreviewProps) {
  const type = contentType.split(';')[0] ?? '';
  const isText = TEXTS.test(type);
  const isKnown = isText || IMAGES.includes(type) || type === PDF;
  const isShown = isKnown && size <= (isText ? LARGEST_TEXT : LARGEST_SHOWN);
  const { data, error, refetch } = useQuery({
    queryKey: ['file-bytes', pid],
    queryFn: async ({ signal }) => {
      const response = await client.send('GET', `/api/files/${pid}`, { signal });
      if (isText) return response.text();
      // Of the type that was looked at here, whatever the server says.
      return new Blob([await response.arrayBuffer()], { type });
    },
    enabled: isShown,
    staleTime: Infinity,
    gcTime: 0,
  });
  const url = useObjectUrl(data instanceof Blob ? data : undefined);
  const problem = error && shown(error);
  const save = () => downloadFile(pid, name).catch((failure: unknown) => say(shownInLine(failure)));
  return (
    <Dialog
      title={name}
      size="wide"
      onClose={onClose}
      actions={
        <Button look="primary" onClick={() => void save()}>
          {t('Download')}
        </Button>
      }
    >
      <p className={styles.about}>{[type, sizeText(size)].join(' · ')}</p>
      {problem ? (
        <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId}>
          <Button onClick={() => void refetch()}>{t('Try again')}</Button>
        </Problem>
      ) : !isShown ? (
        <p className={styles.none}>
          {isKnown ? t('The file is too large for a preview.') : t('There is no preview of this kind of file.')}
        </p>
      ) : typeof data === 'string' ? (
        // Long ones are scrolled by the keyboard, too.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className={styles.text} tabIndex={0}>
          {data}
        </pre>
      ) : url === null ? (
        <Skeleton width={80} />
      ) : type === PDF ? (
        <iframe className={styles.document} src={`${url}#navpanes=0&view=FitH`} title={name} />
      ) : (
        <img className={styles.image} src={url} alt={name} />
      )}
    </Dialog>
  );
}

/** An address for bytes, as long as they are shown. */
function useObjectUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return undefined;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB * KIB ? `${formatRounded(bytes / KIB)} KiB` : `${formatRounded(bytes / KIB / KIB)} MiB`;
}
