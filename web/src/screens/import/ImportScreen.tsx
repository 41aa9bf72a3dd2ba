import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { findModel, type Application, type Model, type Page } from '../../app/application.ts';
import { shown } from '../../app/errors.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { FileDrop } from '../../parts/imports/FileDrop.tsx';
import { columnsQuery, importQuery } from '../../parts/imports/import-query.ts';
import type { ImportFormat, ImportSearch } from '../../parts/imports/import-search.ts';
import { ImportState } from '../../parts/imports/ImportState.tsx';
import { MappingForm } from '../../parts/imports/MappingForm.tsx';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { LostScreen } from '../start/LostScreen.tsx';
import styles from './ImportScreen.module.css';

/** Brings the rows of a file to a page: a file, its columns, a try, the import. */
export function ImportScreen() {
  const { pageKey } = useParams({ from: '/pages/$pageKey/import' });
  const { data: application } = useSuspenseQuery(applicationQuery);
  const page = application.pages.find((one) => one.pageKey === pageKey);
  const model = page && findModel(application, page.modelCode);
  return page && model ? <Import application={application} page={page} model={model} /> : <LostScreen />;
}

interface ImportProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
}

function Import({ application, page, model }: ImportProps) {
  const { file, format, pid } = useSearch({ from: '/pages/$pageKey/import' });
  const navigate = useNavigate();
  const title = t('Import into {page}', { page: page.name });
  const begun = useQuery({ ...importQuery(pid ?? ''), enabled: pid !== undefined });
  useEffect(() => {
    document.title = title;
  }, [title]);
  const { pageKey } = page;
  const go = (search: ImportSearch) => void navigate({ to: '/pages/$pageKey/import', params: { pageKey }, search });
  const isMapping = file !== undefined && format !== undefined;
  const step = pid !== undefined && !isMapping ? (begun.data?.dryRun === false ? 3 : 2) : isMapping ? 1 : 0;
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <h1>{title}</h1>
        <Link to="/pages/$pageKey" params={{ pageKey }}>
          {t('Back to {page}', { page: page.name })}
        </Link>
      </header>
      <Steps at={step} />
      <div className={styles.body}>
        {isMapping ? (
          <Mapping
            application={application}
            page={page}
            model={model}
            file={file}
            format={format}
            before={begun.data}
            onBegun={(importPid) => go({ pid: importPid })}
            onAgain={() => go({})}
          />
        ) : pid === undefined ? (
          <FileDrop onUploaded={(filePid, found) => go({ file: filePid, format: found })} />
        ) : begun.error ? (
          <Failed error={begun.error} onRetry={() => void begun.refetch()} />
        ) : begun.data ? (
          <ImportState
            key={pid}
            page={page}
            item={begun.data}
            onBegun={(importPid) => go({ pid: importPid })}
            onChange={() => {
              const { dryRun, filePid, format: found } = begun.data;
              go(dryRun ? { file: filePid, format: found, pid } : {});
            }}
          />
        ) : (
          <Skeleton width={60} />
        )}
      </div>
    </div>
  );
}

interface MappingProps extends ImportProps {
  readonly file: string;
  readonly format: ImportFormat;
  readonly before: Parameters<typeof MappingForm>[0]['before'];
  readonly onBegun: (importPid: string) => void;
  readonly onAgain: () => void;
}

function Mapping({ file, format, onAgain, page, ...rest }: MappingProps) {
  const { data: columns, error } = useQuery(columnsQuery(page.pageKey, file, format));
  if (error) {
    return (
      <>
        <Failed error={error} />
        <Button onClick={onAgain}>{t('Choose another file')}</Button>
      </>
    );
  }
  if (!columns) return <Skeleton width={60} />;
  return <MappingForm {...rest} page={page} file={file} format={format} columns={columns} />;
}

function Failed({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const { title, advice, traceId } = shown(error);
  const { fieldErrors = {} } = error as { readonly fieldErrors?: Readonly<Record<string, string>> };
  const told = Object.values(fieldErrors).join('. ');
  return (
    <Problem title={title} advice={told === '' ? advice : told} traceId={traceId}>
      {onRetry && <Button onClick={onRetry}>{t('Try again')}</Button>}
    </Problem>
  );
}

/** Where in the four steps this is. */
function Steps({ at }: { readonly at: number }) {
  return (
    <ol className={styles.steps}>
      {[t('File'), t('Columns'), t('Try'), t('Import')].map((name, index) => (
        <li key={name} aria-current={index === at ? 'step' : undefined} data-done={index < at || undefined}>
          {name}
        </li>
      ))}
    </ol>
  );
}
