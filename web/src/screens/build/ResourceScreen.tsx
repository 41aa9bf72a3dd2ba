import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { shown } from '../../app/errors.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { resourceQuery, schemaQuery, type Resource } from '../../parts/build/build-query.ts';
import { celNamesOf } from '../../parts/build/cel-names.ts';
import { completeYaml } from '../../parts/build/complete-yaml.ts';
import { nameOf, useDrafts, type Draft, type Named } from '../../parts/build/drafts.ts';
import { Effects } from '../../parts/build/Effects.tsx';
import { FilesNote } from '../../parts/build/FilesNote.tsx';
import { formOf } from '../../parts/build/forms.ts';
import type { JsonSchema } from '../../parts/build/json-schema.ts';
import { ResourceHead } from '../../parts/build/ResourceHead.tsx';
import { useContentOf } from '../../parts/build/use-known.ts';
import { lineNotes, readDraft, usePlan } from '../../parts/build/use-plan.ts';
import { YamlEditor } from '../../parts/build/YamlEditor.tsx';
import { writeYaml } from '../../parts/build/yaml-text.ts';
import { isKind } from '../../parts/promotions/promotion-words.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './ResourceScreen.module.css';
import { LostScreen } from '../start/LostScreen.tsx';

/** A resource: as a form, as a text, and what saving it would do. */
export function ResourceScreen() {
  const { type, code } = useParams({ from: '/build/$type/$code' });
  return isKind(type) ? <Found key={`${type}/${code}`} named={{ resourceType: type, code }} /> : <LostScreen />;
}

function Found({ named }: { readonly named: Named }) {
  const { resourceType, code } = named;
  const saved = useQuery(resourceQuery(resourceType, code));
  const schema = useQuery(schemaQuery(resourceType));
  const { drafts } = useDrafts();
  const draft = drafts.find((one) => nameOf(one) === nameOf(named));
  useEffect(() => {
    document.title = code;
  }, [code]);
  const failed = saved.error ?? schema.error;
  if (failed) {
    const again = () => void Promise.all([saved.refetch(), schema.refetch()]);
    return (
      <Blank isScreen {...shown(failed)}>
        <Button onClick={again}>{t('Try again')}</Button>
      </Blank>
    );
  }
  if (saved.data === undefined || !schema.data) {
    return (
      <div className={styles.waiting}>
        <Skeleton width={30} />
        <Skeleton width={70} />
        <Skeleton width={60} />
      </div>
    );
  }
  if (!saved.data && !draft) {
    return (
      <Blank isScreen title={t('There is no {code}', { code })} advice={t('It was deleted, or never saved.')}>
        <Link to="/build" search={{}}>
          {t('All resources')}
        </Link>
      </Blank>
    );
  }
  return <Opened named={named} saved={saved.data} draft={draft} schema={schema.data} />;
}

interface OpenedProps {
  readonly named: Named;
  readonly saved: Resource | null;
  readonly draft: Draft | undefined;
  readonly schema: JsonSchema;
}

function Opened({ named, saved, draft, schema }: OpenedProps) {
  const { data: application } = useSuspenseQuery(applicationQuery);
  const { drafts, keep, drop } = useDrafts();
  const planned = usePlan(drafts);
  const savedText = saved ? writeYaml(saved.content, schema) : '';
  const shownDraft: Draft = draft ?? { ...named, text: savedText, version: saved?.version ?? null };
  const { content } = readDraft(shownDraft);
  const [readable, setReadable] = useState(content);
  if (content && content !== readable) setReadable(content);
  const { modelCode } = readable ?? {};
  const model = useContentOf('MODEL', typeof modelCode === 'string' ? modelCode : '');
  const names = celNamesOf(named.resourceType, readable ?? {}, model);
  const notes = draft ? planned.notes.get(nameOf(named)) : undefined;
  const Form = formOf(named.resourceType);

  function write(text: string) {
    // What is again as it was saved is no draft.
    if (saved && text === savedText) drop(named);
    else keep({ ...shownDraft, text });
  }

  return (
    <div className={styles.screen}>
      <ResourceHead named={named} saved={saved} draft={draft} shown={shownDraft} schema={schema} onText={write} />
      {readable && <FilesNote environment={application.environment} draft={shownDraft} content={readable} />}
      <div className={styles.columns}>
        <div className={styles.form} tabIndex={0} role="group" aria-label={t('As a form')}>
          {!content && <p className={styles.unreadable}>{t('The text cannot be read: mend the marked line.')}</p>}
          {readable && (
            // What was readable last, until the text is readable again.
            <div inert={!content}>
              <Form
                draft={shownDraft}
                content={readable}
                saved={saved?.content ?? null}
                schema={schema}
                notes={notes ?? []}
                onText={write}
              />
            </div>
          )}
        </div>
        <div className={styles.text}>
          <YamlEditor
            label={t('{code} as YAML', { code: named.code })}
            value={shownDraft.text}
            notes={lineNotes(shownDraft, notes)}
            complete={(text, offset) => completeYaml(text, offset, schema, names)}
            onChange={write}
          />
        </div>
        <div className={styles.effects}>
          <Effects drafts={drafts} planned={planned} />
        </div>
      </div>
    </div>
  );
}
