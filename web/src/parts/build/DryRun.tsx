import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  findField,
  findModel,
  findPage,
  nameField,
  type Command,
  type Model,
  type Page,
  type RecordData,
} from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { client } from '../../app/client.ts';
import { fieldName } from '../../app/field-names.ts';
import { applicationQuery } from '../../app/queries.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Select } from '../../ui/Select.tsx';
import { commandFields, operationFor } from '../commands/command-fields.ts';
import { problemsOf, type FormProblems } from '../commands/form-problems.ts';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { RESOURCES } from './build-query.ts';
import styles from './parts.module.css';
import { SearchField } from '../../ui/SearchField.tsx';

interface DryRunData {
  readonly changes: readonly {
    readonly modelCode: string;
    readonly recordPid: string;
    readonly action: string;
    readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  }[];
  readonly events: readonly { readonly eventType: string }[];
  readonly subscriptions: readonly { readonly name: string }[];
}

/** What a saved command would do, tried on a record that is chosen. Nothing stays of it. */
export function DryRun({ code }: { readonly code: string }) {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const command = application.commands.find((one) => one.code === code);
  const model = command && findModel(application, command.modelCode);
  const page = model && findPage(application, model.code);
  if (!command || !model || !page) {
    return <p className={styles.muted}>{t('It can be tried where a page shows its model.')}</p>;
  }
  return <Try command={command} model={model} page={page} />;
}

interface TryProps {
  readonly command: Command;
  readonly model: Model;
  readonly page: Page;
}

function Try({ command, model, page }: TryProps) {
  const needsRecord = !command.operations.includes('CREATE') && (command.target ?? command.operations[0] !== 'CUSTOM');
  const [keyword, setKeyword] = useState('');
  const [pid, setPid] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  const [problems, setProblems] = useState<FormProblems | null>(null);
  const [found, setFound] = useState<DryRunData | null>(null);
  const [isTrying, setTrying] = useState(false);
  const records = useQuery({ ...recordsToTryQuery(page, model, keyword), enabled: needsRecord });
  const record = records.data?.find((one) => one.pid === pid) ?? records.data?.[0] ?? null;
  const fields = commandFields(command, model, page);

  async function run() {
    setTrying(true);
    setProblems(null);
    try {
      const body = {
        payload: { ...values },
        dryRun: true,
        ...(command.operations.length > 1 && { operationType: operationFor(command, needsRecord) }),
        ...(needsRecord && record && { targetRecordId: record.pid }),
      };
      const params = { commandCode: command.code };
      setFound((await ask('POST /api/meta/commands/execute/{commandCode}', { params, body })) as DryRunData);
    } catch (error) {
      setFound(null);
      setProblems(await problemsOf(error, { page, fields, record: null }));
    }
    setTrying(false);
  }

  return (
    <>
      {needsRecord && (
        <div className={`${styles.fields} ${styles.search}`}>
          <SearchField label={t('Look for a record')} value={keyword} onChange={setKeyword} />
          <Labelled label={t('On which record')}>
            {(ties) => (
              <Select
                {...ties}
                value={record?.pid ?? ''}
                options={(records.data ?? []).map((one) => [one.pid, textOf(one[nameField(model)]) || one.pid])}
                onChoose={setPid}
              />
            )}
          </Labelled>
          {records.data?.length === 0 && <p className={styles.muted}>{t('There is no record to try it on.')}</p>}
        </div>
      )}
      <div className={styles.fields}>
        {fields.map((field) => {
          const { Editor } = FIELD_KINDS[field.type];
          return (
            <Labelled
              key={field.code}
              label={fieldName(field)}
              required={field.required && !needsRecord}
              problem={problems?.fields[field.code]}
            >
              {(ties) => (
                <Editor
                  field={field}
                  value={values[field.code] ?? null}
                  onChange={(value) => setValues((before) => ({ ...before, [field.code]: value }))}
                  ties={ties}
                  pageKey={page.pageKey}
                  declaredBy={command.fields && { kind: 'command', code: command.code }}
                  record={null}
                />
              )}
            </Labelled>
          );
        })}
      </div>
      <div className={styles.row}>
        <Button disabled={isTrying || (needsRecord && record === null)} onClick={() => void run()}>
          {t('Try it without writing')}
        </Button>
      </div>
      {problems?.general && <Problem title={problems.general.title} advice={problems.general.advice} />}
      {found && <Outcome found={found} model={model} />}
    </>
  );
}

const SHOWN = 50;

function recordsToTryQuery({ pageKey }: Page, model: Model, keyword: string) {
  return {
    queryKey: [...RESOURCES, 'to-try', pageKey, keyword],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly RecordData[]> => {
      const fields = [nameField(model)];
      const options = { ...(keyword !== '' && { keyword }), fields, pageSize: SHOWN, count: 'none' as const, signal };
      return (await client.page(pageKey).list(options)).records as unknown as RecordData[];
    },
  };
}

function Outcome({ found: { changes, events, subscriptions }, model }: { found: DryRunData; model: Model }) {
  return (
    <div role="status" className={styles.outcome}>
      <p>
        {plural(changes.length, 'It would write {count} record', 'It would write {count} records')}
        {events.length > 0 && ` · ${events.map(({ eventType }) => eventType).join(', ')}`}
        {subscriptions.length > 0 && ` · ${subscriptions.map(({ name }) => name).join(', ')}`}
      </p>
      <ul className={styles.list}>
        {changes.map((change) => (
          <li key={`${change.modelCode} ${change.recordPid}`}>
            <div className={styles.line}>
              {change.modelCode}
              <span className={styles.muted}>{change.action}</span>
            </div>
            {Object.entries(change.changes).map(([code, { from, to }]) => {
              const field = change.modelCode === model.code ? findField(model, code) : undefined;
              return (
                <code key={code}>
                  {field ? fieldName(field) : code}: {textOf(from) || '–'} → {textOf(to) || '–'}
                </code>
              );
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}
