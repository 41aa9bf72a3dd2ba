import { ValidationError } from '@keelson/client';
import { useState, type SubmitEvent } from 'react';
import type { Application, Field, Model, Page } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { fieldName } from '../../app/field-names.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Select } from '../../ui/Select.tsx';
import { ACTIVITY, type Import } from '../activity/activity-query.ts';
import { fieldsToImport, guessMapping } from './guess-mapping.ts';
import type { ImportFormat } from './import-search.ts';
import styles from './MappingForm.module.css';

interface MappingFormProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly file: string;
  readonly format: ImportFormat;
  readonly columns: readonly string[];
  /** What was tried before. */
  readonly before: Import | undefined;
  readonly onBegun: (importPid: string) => void;
}

const MODES = ['create', 'update', 'upsert'] as const;
type Mode = (typeof MODES)[number];
const NOT_IMPORTED = '';

/** Which column is for which field, and what is done with the rows. It is tried first. */
export function MappingForm({ application, page, model, file, format, columns, before, onBegun }: MappingFormProps) {
  const fields = fieldsToImport(model);
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>(
    () => before?.mapping ?? guessMapping(columns, fields),
  );
  const [mode, setMode] = useState<Mode>(before?.mode ?? 'create');
  const [matchOn, setMatchOn] = useState(before?.matchOn ?? '');
  const [commandCode, setCommandCode] = useState('');
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const [isSending, setSending] = useState(false);
  const mapped = Object.fromEntries(Object.entries(mapping).filter(([, field]) => field !== NOT_IMPORTED));
  const commands = application.commands.filter(
    ({ code, operations }) =>
      page.commands.includes(code) && operations.includes(mode === 'update' ? 'UPDATE' : 'CREATE'),
  );

  async function send(event: SubmitEvent) {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    setWrong({});
    try {
      const { importPid } = await ask('POST /api/dynamic/{pageKey}/imports', {
        params: { pageKey: page.pageKey },
        body: {
          filePid: file,
          format,
          mapping: mapped,
          mode,
          dryRun: true,
          ...(mode !== 'create' && matchOn !== '' && { matchOn }),
          ...(commandCode !== '' && { commandCode }),
        },
      });
      await queries.invalidateQueries({ queryKey: ACTIVITY });
      onBegun(importPid);
    } catch (error) {
      if (error instanceof ValidationError) setWrong(error.fieldErrors);
      const own = ['matchOn', 'mode', 'commandCode'];
      const isShown =
        error instanceof ValidationError &&
        Object.keys(error.fieldErrors).every((path) => own.includes(path) || path.startsWith('mapping.'));
      if (!isShown) setProblem(problemOf(error));
      setSending(false);
    }
  }

  const nameOf = (code: string): string => fieldName(fields.find((one) => one.code === code) ?? { code, name: code });
  return (
    <form className={styles.form} onSubmit={(event) => void send(event)} noValidate>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      <ColumnTable
        columns={columns}
        fields={mode === 'create' ? fields : [{ code: 'pid', name: 'pid' }, ...fields]}
        mapping={mapping}
        wrong={wrong}
        onChange={(column, code) => setMapping((all) => ({ ...all, [column]: code }))}
      />
      <div className={styles.options}>
        <Labelled label={t('What is done with a row')} problem={wrong.mode}>
          {(ties) => (
            <Select
              {...ties}
              value={mode}
              options={[
                ['create', t('A record is created')],
                ['update', t('The record that it matches is changed')],
                ['upsert', t('A record is changed, or created where none matches')],
              ]}
              onChoose={(chosen) => setMode(MODES.find((one) => one === chosen) ?? 'create')}
            />
          )}
        </Labelled>
        {mode !== 'create' && (
          <Labelled label={t('Records match by')} required problem={wrong.matchOn}>
            {(ties) => (
              <Select
                {...ties}
                value={matchOn}
                options={[
                  ['', '–'],
                  ...[...new Set(Object.values(mapped))].map(
                    (code) => [code, code === 'pid' ? t('Id') : nameOf(code)] as const,
                  ),
                ]}
                onChoose={setMatchOn}
              />
            )}
          </Labelled>
        )}
        {(commands.length > 1 || wrong.commandCode !== undefined) && (
          <Labelled label={t('By the command')} problem={wrong.commandCode}>
            {(ties) => (
              <Select
                {...ties}
                value={commandCode}
                options={[['', '–'], ...commands.map(({ code, name }) => [code, name] as const)]}
                onChoose={setCommandCode}
              />
            )}
          </Labelled>
        )}
      </div>
      <div className={styles.actions}>
        <p>{t('All rows are tried, and nothing is written yet.')}</p>
        <Button type="submit" look="primary" disabled={isSending || Object.keys(mapped).length === 0}>
          {t('Try the import')}
        </Button>
      </div>
    </form>
  );
}

interface ColumnTableProps {
  readonly columns: readonly string[];
  readonly fields: readonly Pick<Field, 'code' | 'name'>[];
  readonly mapping: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, string>>;
  readonly onChange: (column: string, code: string) => void;
}

function ColumnTable({ columns, fields, mapping, wrong, onChange }: ColumnTableProps) {
  const options = fields.map((field) => [field.code, fieldName(field)] as const);
  return (
    <table className={styles.mapping}>
      <caption className="visually-hidden">{t('Columns and their fields')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('Column of the file')}</th>
          <th scope="col">{t('Field')}</th>
        </tr>
      </thead>
      <tbody>
        {columns.map((column) => {
          const problem = wrong[`mapping.${column}`];
          return (
            <tr key={column}>
              <th scope="row">{column}</th>
              <td>
                <Select
                  aria-label={t('Field for {column}', { column })}
                  aria-invalid={problem !== undefined}
                  value={mapping[column] ?? NOT_IMPORTED}
                  options={[[NOT_IMPORTED, t('Not imported')], ...options]}
                  onChoose={(code) => onChange(column, code)}
                />
                {problem !== undefined && <p className={styles.wrong}>{problem}</p>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function problemOf(error: unknown): ShownError {
  const problem = shown(error);
  if (!(error instanceof ValidationError)) return problem;
  return {
    ...problem,
    advice: Object.entries(error.fieldErrors)
      .map(([path, told]) => `${path}: ${told}`)
      .join('. '),
  };
}
