import { useId, useState } from 'react';
import type { Field, RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import type { EditorProps } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import styles from './ItemRows.module.css';

type Item = Readonly<Record<string, unknown>>;

interface ItemRowsProps {
  readonly field: Field;
  /** Those of each item. */
  readonly fields: NonNullable<Field['fields']>;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly pageKey: string;
  readonly declaredBy: EditorProps['declaredBy'];
  readonly record: RecordData | null;
  /** By the path in the payload: `items[2].quantity`. */
  readonly problems: Readonly<Record<string, string | undefined>>;
}

/** A list of objects as a small table: an item is a row, and its fields are columns. */
export function ItemRows({ field, fields, value, onChange, pageKey, declaredBy, record, problems }: ItemRowsProps) {
  const { code, required, minItems = 1, maxItems = Infinity } = field;
  // One that needs items begins with as many rows; what is not touched is not sent.
  const begun = Array.from({ length: required ? minItems : 0 }, (): Item => ({}));
  const items = Array.isArray(value) ? (value as readonly Item[]) : begun;
  // What is typed stays with its row when one above it goes.
  const [keys, setKeys] = useState(() => items.map((_item, index) => index));
  const title = useId();

  function add() {
    setKeys([...keys, Math.max(-1, ...keys) + 1]);
    onChange([...items, {}]);
  }

  function remove(index: number) {
    setKeys(keys.toSpliced(index, 1));
    onChange(items.toSpliced(index, 1));
  }

  function change(index: number, key: string, next: unknown) {
    const { [key]: _former, ...others } = items[index] ?? {};
    // A field without a value is not sent, so it has its default.
    onChange(items.with(index, next === null ? others : { ...others, [key]: next }));
  }

  return (
    <section aria-labelledby={title} className={styles.list}>
      <h3 id={title} className={styles.title}>
        {fieldName(field)}
        {required && <span aria-hidden="true">{' *'}</span>}
      </h3>
      {items.length > 0 && (
        <table className={styles.table}>
          <thead>
            <tr>
              {fields.map((one) => (
                <th key={one.code} scope="col">
                  {fieldName(one)}
                  {one.required && <span aria-hidden="true">{' *'}</span>}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {items.map((item, index) => (
              <tr key={keys[index]}>
                {fields.map((one) => {
                  const { Editor } = FIELD_KINDS[one.type];
                  const place = { name: fieldName(one), row: index + 1 };
                  return (
                    <td key={one.code} className={styles.cell}>
                      <Labelled
                        label={t('{name}, row {row}', place)}
                        required={one.required}
                        problem={problems[`${code}[${index}].${one.code}`]}
                      >
                        {(ties) => (
                          <Editor
                            field={one}
                            value={item[one.code]}
                            onChange={(next) => change(index, one.code, next)}
                            ties={ties}
                            pageKey={pageKey}
                            declaredBy={declaredBy && { ...declaredBy, list: code }}
                            record={record}
                          />
                        )}
                      </Labelled>
                    </td>
                  );
                })}
                <td>
                  <Button look="plain" label={t('Remove row {row}', { row: index + 1 })} onClick={() => remove(index)}>
                    <Icon name="trash" />
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {problems[code] !== undefined && (
        <p role="alert" className={styles.problem}>
          {problems[code]}
        </p>
      )}
      <div>
        <Button onClick={add} disabled={items.length >= maxItems}>
          {t('Add a row')}
        </Button>
      </div>
    </section>
  );
}
