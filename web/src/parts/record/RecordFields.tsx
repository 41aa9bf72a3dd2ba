import { findField, isSystemField, type Field, type Model, type Page, type RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import styles from './RecordFields.module.css';

interface RecordFieldsProps {
  readonly page: Page;
  readonly model: Model;
  readonly record: RecordData;
}

const FACTS = ['created_at', 'created_by', 'updated_at', 'updated_by', 'version'];

/** All fields of a record, by the sections of the page's form. */
export function RecordFields({ page, model, record }: RecordFieldsProps) {
  const own = model.fields.filter(({ code }) => !isSystemField(code));
  const sections = (page.form?.sections ?? []).map(({ name, fields }) => ({ name, fields: named(model, fields) }));
  const placed = new Set(sections.flatMap(({ fields }) => fields.map(({ code }) => code)));
  const others = own.filter(({ code }) => !placed.has(code));
  return (
    <div className={styles.fields}>
      {sections.map(({ name, fields }, index) => (
        <section key={index} className={styles.section}>
          {name !== undefined && <h3>{name}</h3>}
          <FieldList fields={fields} record={record} />
        </section>
      ))}
      {others.length > 0 && <FieldList fields={others} record={record} />}
      <div className={styles.facts}>
        <FieldList fields={named(model, FACTS)} record={record} />
      </div>
    </div>
  );
}

function FieldList({ fields, record }: { readonly fields: readonly Field[]; readonly record: RecordData }) {
  return (
    <dl>
      {fields.map((field) => {
        const value = record[field.code];
        const { Cell } = FIELD_KINDS[field.type];
        return (
          <div key={field.code} className={styles.row}>
            <dt>{fieldName(field)}</dt>
            <dd>
              {value === null || value === undefined ? (
                <span className={styles.none}>–</span>
              ) : (
                <Cell field={field} value={value} record={record} />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function named(model: Model, codes: readonly string[]): Field[] {
  return codes.flatMap((code) => findField(model, code) ?? []);
}
