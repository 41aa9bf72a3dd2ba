import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { plural, t } from '../../app/texts.ts';
import { pluralOf, starterOf } from '../../parts/build/beginnings.ts';
import { CsvChoice } from '../../parts/build/CsvChoice.tsx';
import { useDrafts } from '../../parts/build/drafts.ts';
import { FieldTable } from '../../parts/build/FieldTable.tsx';
import { codeOf, fieldsOf, type FieldDraft } from '../../parts/build/model-content.ts';
import { useKnown } from '../../parts/build/use-known.ts';
import { readYaml, writeYaml } from '../../parts/build/yaml-text.ts';
import { FailedRead } from '../../parts/notices/FailedRead.tsx';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { ScreenHead } from '../../ui/ScreenHead.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import styles from './NewModelScreen.module.css';

const FIRST: readonly FieldDraft[] = [{ code: 'name', name: 'Name', type: 'string', required: true, searchable: true }];
const textOf = (fields: readonly FieldDraft[]): string => writeYaml({ fields });
const APPLICATION = /^[a-z][a-z0-9_-]{0,62}$/;
const MODEL = /^[a-z][a-z0-9_]{0,46}$/;

/** From nothing to an application: a model, of a CSV file or as it is typed, with its page and commands. */
export function NewModelScreen() {
  const navigate = useNavigate();
  const { keep } = useDrafts();
  const { data: models = [], error, refetch } = useKnown('MODEL');
  const [app, setApp] = useState('');
  const [name, setName] = useState('');
  const [typedPage, setPage] = useState<string | null>(null);
  const [typedCode, setCode] = useState<string | null>(null);
  const [text, setText] = useState(() => textOf(FIRST));
  const [rows, setRows] = useState<number | null>(null);
  useEffect(() => {
    document.title = t('New application or model');
  }, []);
  const content = readYaml(text).content ?? {};
  const pageName = typedPage ?? pluralOf(name.trim());
  const code = typedCode ?? codeOf(name);
  const isTaken = models.some((model) => model.code === code);
  const isReady =
    APPLICATION.test(app) &&
    MODEL.test(code) &&
    name.trim() !== '' &&
    pageName.trim() !== '' &&
    !isTaken &&
    fieldsOf(content).length > 0;
  const made = isReady ? starterOf(app, code, pageName.trim(), { name: name.trim(), ...content }) : [];

  async function make() {
    keep(...made.map(({ content: one, ...named }) => ({ ...named, text: writeYaml(one), version: null })));
    await navigate({ to: '/build/$type/$code', params: { type: 'MODEL', code }, search: {} });
  }

  return (
    <div className={styles.screen}>
      <ScreenHead
        back={
          <Link to="/build" search={{}}>
            {t('Resources')}
          </Link>
        }
        title={t('New application or model')}
      />
      {error && <FailedRead error={error} onRetry={() => void refetch()} />}
      <div className={styles.names}>
        <Labelled
          label={t('Application')}
          required
          problem={app === '' || APPLICATION.test(app) ? undefined : t('Lower-case letters, digits, _ and -')}
          hint={t('Its code: a new one, or one that is there')}
        >
          {(ties) => <TextInput {...ties} value={app} onChange={({ target }) => setApp(target.value)} />}
        </Labelled>
        <Labelled label={t('What is kept')} required hint={t('One of them, such as Ticket')}>
          {(ties) => <TextInput {...ties} value={name} onChange={({ target }) => setName(target.value)} />}
        </Labelled>
        <Labelled label={t('Name of the page')} required hint={t('Of all of them, such as Tickets')}>
          {(ties) => <TextInput {...ties} value={pageName} onChange={({ target }) => setPage(target.value)} />}
        </Labelled>
        <Labelled
          label={t('Code of the model')}
          required
          problem={
            isTaken
              ? t('There is one of this code')
              : code === '' || MODEL.test(code)
                ? undefined
                : t('Lower-case letters, digits and _')
          }
        >
          {(ties) => <TextInput {...ties} value={code} onChange={({ target }) => setCode(target.value)} />}
        </Labelled>
      </div>
      <CsvChoice
        onRead={({ fields, count, title }) => {
          setText(textOf(fields));
          setRows(count);
          if (name === '') setName(title);
        }}
      />
      {rows !== null && (
        <p className={styles.note} role="status">
          {plural(
            rows,
            'Types are guessed from {count} row: look at them.',
            'Types are guessed from {count} rows: look at them.',
          )}
        </p>
      )}
      <FieldTable
        text={text}
        content={content}
        saved={null}
        notes={[]}
        models={models.map((model) => model.code)}
        onText={setText}
      />
      <footer className={styles.foot}>
        <p>{t('Next you see all of it, and what saving it does. Nothing is saved before.')}</p>
        <Button look="primary" size="large" disabled={!isReady} onClick={() => void make()}>
          {made.length === 0 ? t('Make the drafts') : plural(made.length, 'Make {count} draft', 'Make {count} drafts')}
        </Button>
      </footer>
    </div>
  );
}
