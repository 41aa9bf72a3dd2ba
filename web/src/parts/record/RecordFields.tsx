import { Link } from '@tanstack/react-router';
import {
  findField,
  findPage,
  isSystemField,
  type Application,
  type Field,
  type Model,
  type Page,
  type RecordData,
} from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { textOf } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { AuthorName } from './AuthorName.tsx';
import styles from './RecordFields.module.css';

/** What they hold is the pid of a person, or the name of what has written the record. */
const AUTHORS = new Set(['created_by', 'updated_by']);

interface RecordFieldsProps {
  readonly application: Application;
  readonly page: Page;
  readonly model: Model;
  readonly record: RecordData;
}

const FACTS = ['created_at', 'created_by', 'updated_at', 'updated_by', 'version'];

/** All fields of a record, by the sections of the page's form. */
export function RecordFields({ application, page, model, record }: RecordFieldsProps) {
  const own = model.fields.filter(({ code }) => !isSystemField(code));
  const sections = (page.form?.sections ?? []).map(({ name, fields }) => ({ name, fields: named(model, fields) }));
  const placed = new Set(sections.flatMap(({ fields }) => fields.map(({ code }) => code)));
  const others = own.filter(({ code }) => !placed.has(code));
  return (
    <div className={styles.fields}>
      {sections.map(({ name, fields }, index) => (
        <section key={index} className={styles.section}>
          {name !== undefined && <h3>{name}</h3>}
          <FieldList application={application} page={page} fields={fields} record={record} />
        </section>
      ))}
      {others.length > 0 && <FieldList application={application} page={page} fields={others} record={record} />}
      <div className={styles.facts}>
        <FieldList application={application} page={page} fields={named(model, FACTS)} record={record} />
      </div>
    </div>
  );
}

interface FieldListProps {
  readonly application: Application;
  readonly page: Page;
  readonly fields: readonly Field[];
  readonly record: RecordData;
}

function FieldList({ application, page: { pageKey }, fields, record }: FieldListProps) {
  return (
    <dl>
      {fields.map((field) => {
        const value = record[field.code];
        const { Cell } = FIELD_KINDS[field.type];
        const cell = <Cell field={field} value={value} record={record} />;
        const target = leadsTo(application, field, record);
        return (
          <div key={field.code} className={styles.row}>
            <dt>{fieldName(field)}</dt>
            <dd>
              {value === null || value === undefined ? (
                <span className={styles.none}>–</span>
              ) : AUTHORS.has(field.code) ? (
                <AuthorName pageKey={pageKey} pid={record.pid} author={textOf(value)} />
              ) : target ? (
                <Link to="/pages/$pageKey/$pid" params={{ pageKey: target.pageKey, pid: textOf(value) }}>
                  {cell}
                </Link>
              ) : (
                cell
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The page with the record that a relation leads to; none where the caller may not see it. */
function leadsTo(application: Application, { code, target }: Field, record: RecordData): Page | undefined {
  const isSeen = target !== undefined && Boolean(record.expanded?.[code]);
  return isSeen ? findPage(application, target) : undefined;
}

function named(model: Model, codes: readonly string[]): Field[] {
  return codes.flatMap((code) => findField(model, code) ?? []);
}
