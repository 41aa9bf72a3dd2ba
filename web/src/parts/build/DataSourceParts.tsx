import { useState } from 'react';
import type { Api } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { textOf } from '../fields/field-kind.ts';
import { Facts } from './Facts.tsx';
import type { FormProps } from './form.ts';
import type { FieldDraft } from './model-content.ts';
import styles from './parts.module.css';

type Tried = Api['POST /api/datasource/test']['data'];

const SHOWN = 50;

/** A data source, tried with params as it is in the editor. */
export function DataSourceParts(props: FormProps) {
  const { content } = props;
  const params = Array.isArray(content.params) ? (content.params as FieldDraft[]) : [];
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [tried, setTried] = useState<Tried | null>(null);
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isTrying, setTrying] = useState(false);

  async function run() {
    setTrying(true);
    setProblem(null);
    const given = Object.fromEntries(
      params.flatMap(({ code = '', type }) => {
        const typed = values[code] ?? '';
        return typed === '' ? [] : [[code, valueOf(type, typed)]];
      }),
    );
    try {
      setTried(
        await ask('POST /api/datasource/test', { body: { content: { ...content }, params: given, maxItems: SHOWN } }),
      );
    } catch (error) {
      setTried(null);
      setProblem(shown(error));
    }
    setTrying(false);
  }

  return (
    <div className={styles.parts}>
      <Facts {...props} />
      <section>
        <h2>{t('Try it')}</h2>
        {params.length > 0 && (
          <div className={styles.fields}>
            {params.map(({ code = '', name = code, required = false }) => (
              <Labelled key={code} label={name} required={required}>
                {(ties) => (
                  <TextInput
                    {...ties}
                    value={values[code] ?? ''}
                    onChange={({ target }) => setValues({ ...values, [code]: target.value })}
                  />
                )}
              </Labelled>
            ))}
          </div>
        )}
        <div className={styles.row}>
          <Button disabled={isTrying} onClick={() => void run()}>
            {t('Read its first rows')}
          </Button>
          {tried && (
            <span role="status" className={styles.muted}>
              {plural(tried.rows.length, '{count} row', '{count} rows')} · {Math.round(tried.durationMs)} ms
            </span>
          )}
        </div>
        {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
        {tried?.warnings.map(({ path, message }) => (
          <p key={path} className={styles.muted}>
            {path}: {message}
          </p>
        ))}
        {tried && tried.rows.length > 0 && <Rows tried={tried} />}
      </section>
    </div>
  );
}

function Rows({ tried: { columns, rows } }: { readonly tried: Tried }) {
  return (
    <div className={styles.rows} tabIndex={0} role="group" aria-label={t('Rows')}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={index}>
              {columns.map(({ name }) => (
                <td key={name}>{textOf(row[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What cannot be read stays a text: the service says what is wrong with it. */
function valueOf(type: FieldDraft['type'], typed: string): unknown {
  if (type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : typed;
  return type === 'integer' && Number.isInteger(Number(typed)) ? Number(typed) : typed;
}
