import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  findPage,
  nameField,
  type Application,
  type Command,
  type Field,
  type Model,
  type Page,
} from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { say } from '../../app/notices.ts';
import { plural, t } from '../../app/texts.ts';
import { Blank } from '../../ui/Blank.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import CommandDialog from '../commands/CommandDialog.tsx';
import { commandFields } from '../commands/command-fields.ts';
import { commandsOf } from '../commands/editing-command.ts';
import { FailedRead } from '../notices/FailedRead.tsx';
import { textOf } from '../fields/field-kind.ts';
import { relatedQuery } from './record-query.ts';
import styles from './RecordRelated.module.css';

interface RecordRelatedProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly pid: string;
}

/** A field of records that the caller may see on a page, and that leads to records of the model. */
interface Referrer {
  readonly page: Page;
  readonly model: Model;
  readonly field: Field;
  /** Others of its fields lead there, too. */
  readonly isOneOfMany: boolean;
  /** Makes another one, where the caller may. */
  readonly creator: Command | undefined;
}

/** The records that refer to a record, by the fields in which they do. */
export function RecordRelated({ application, page, model, pid }: RecordRelatedProps) {
  const referrers = referrersOf(application, model);
  if (referrers.length === 0) return <Blank title={t('Nothing can refer to this record')} />;
  return (
    <div className={styles.lists}>
      {referrers.map((referrer) => (
        <RelatedList
          key={`${referrer.model.code}.${referrer.field.code}`}
          pageKey={page.pageKey}
          pid={pid}
          {...referrer}
        />
      ))}
    </div>
  );
}

interface RelatedListProps extends Referrer {
  /** The page of the record that is referred to. */
  readonly pageKey: string;
  readonly pid: string;
}

function RelatedList({ pageKey, pid, page, model, field, isOneOfMany, creator }: RelatedListProps) {
  const [isCreating, setCreating] = useState(false);
  const name = nameField(model);
  const { data, error, refetch } = useQuery(relatedQuery(pageKey, pid, `${model.code}.${field.code}`, name));
  const condition = { fieldName: field.code, operator: 'eq', value: pid } as const;
  const total = data?.total ?? 0;
  const title = isOneOfMany ? `${page.name}: ${fieldName(field)}` : page.name;
  const records = (data?.records ?? []) as readonly ({ readonly pid: string } & Readonly<Record<string, unknown>>)[];
  return (
    <section className={styles.list} aria-label={title}>
      <div className={styles.head}>
        <h3>
          {page.name}
          {isOneOfMany && <span>{fieldName(field)}</span>}
        </h3>
        {creator && (
          <Button onClick={() => setCreating(true)}>
            <Icon name="add" />
            {creator.name}
          </Button>
        )}
      </div>
      {error ? (
        <FailedRead error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton width={50} />
      ) : total === 0 ? (
        <p className={styles.none}>{t('None')}</p>
      ) : (
        <ul>
          {records.map((record) => (
            <li key={record.pid}>
              <Link to="/pages/$pageKey" params={{ pageKey: page.pageKey }} search={{ open: record.pid }}>
                {textOf(record[name]) || record.pid}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {total > records.length && (
        <Link to="/pages/$pageKey" params={{ pageKey: page.pageKey }} search={{ f: [condition] }}>
          {plural(total, 'Show {count} record', 'Show all {count} records')}
        </Link>
      )}
      {isCreating && creator && (
        <CommandDialog
          page={page}
          model={model}
          command={creator}
          record={null}
          given={{ [field.code]: pid }}
          onClose={() => setCreating(false)}
          onDone={() => {
            setCreating(false);
            void refetch();
            say(t('{name}: done', { name: creator.name }));
          }}
        />
      )}
    </section>
  );
}

function referrersOf(application: Application, target: Model): Referrer[] {
  return application.models.flatMap((model) => {
    const page = findPage(application, model.code);
    if (!page) return [];
    const fields = model.fields.filter((field) => field.target === target.code);
    const creators = commandsOf(application, page).filter(({ operations }) => operations.includes('CREATE'));
    return fields.map((field) => {
      const takesIt = ({ code }: Field): boolean => code === field.code;
      const creator = creators.find((command) => commandFields(command, model, page).some(takesIt));
      return { page, model, field, isOneOfMany: fields.length > 1, creator };
    });
  });
}
