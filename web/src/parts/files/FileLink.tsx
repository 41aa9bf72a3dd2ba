import { Suspense, useState, type SyntheticEvent } from 'react';
import { t } from '../../app/texts.ts';
import { FailedDialog } from '../loading/FailedDialog.tsx';
import { lazyPart } from '../loading/lazy-part.tsx';
import styles from './FileLink.module.css';

const FilePreview = lazyPart(() => import('./FilePreview.tsx'), FailedDialog);

interface FileLinkProps {
  readonly pid: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
}

const stop = (event: SyntheticEvent) => event.stopPropagation();

/** The name of a file, which opens it. */
export function FileLink(file: FileLinkProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles.link}
        title={t('Open {name}', { name: file.name })}
        onClick={(event) => {
          // A cell of a grid opens its record.
          event.stopPropagation();
          setOpen(true);
        }}
      >
        {file.name}
      </button>
      {isOpen && (
        // What is done in the dialog is not done in the cell.
        <span role="presentation" onClick={stop} onKeyDown={stop}>
          <Suspense>
            <FilePreview {...file} onClose={() => setOpen(false)} />
          </Suspense>
        </span>
      )}
    </>
  );
}
