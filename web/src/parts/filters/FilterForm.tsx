import type { Condition, Operator } from '@keelson/client';
import { useState, type SubmitEvent } from 'react';
import { findField, isSystemField, type Field, type Model, type Page } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import styles from './Filters.module.css';
import { OPERATOR_NAMES, valuesOf } from './operators.ts';

interface FilterFormProps {
  readonly page: Page;
  readonly model: Model;
  readonly onAdd: (condition: Condition) => void;
}

/** One condition: a field, an operator of its type, a value by the editor of its type. */
export default function FilterForm({ page, model, onAdd }: FilterFormProps) {
  const columns = new Set(page.columns.map((column) => column.fieldName));
  const fields = model.fields.filter(({ code }) => !isSystemField(code) || columns.has(code));
  const [code, setCode] = useState(fields[0]?.code ?? '');
  const field = findField(model, code) ?? fields[0];
  const operators = ((field && page.operators[field.type]) ?? []) as readonly Operator[];
  const [chosen, setChosen] = useState<Operator | null>(null);
  const operator = chosen ?? preferred(field, operators);
  const [values, setValues] = useState<readonly unknown[]>([]);
  if (!field || !operator) return null;
  const kind = valuesOf(operator);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!field || !operator) return;
    const given = values.filter((value) => value !== null && value !== undefined);
    const value = kind === 'many' || kind === 'two' ? given : given[0];
    onAdd({ fieldName: field.code, operator, ...(kind !== 'none' && { value }) });
  }

  return (
    <form className={styles.form} onSubmit={submit}>
      <Labelled label={t('Field')}>
        {(ties) => (
          <Select
            {...ties}
            value={field.code}
            options={fields.map((one) => [one.code, fieldName(one)] as const)}
            onChoose={(next) => {
              setCode(next);
              setChosen(null);
              setValues([]);
            }}
          />
        )}
      </Labelled>
      <Labelled label={t('Condition')}>
        {(ties) => (
          <Select
            {...ties}
            value={operator}
            options={operators.map((one) => [one, t(OPERATOR_NAMES[one])] as const)}
            onChoose={(next) => {
              setChosen(next as Operator);
              setValues([]);
            }}
          />
        )}
      </Labelled>
      <ValueInputs
        key={`${field.code} ${operator}`}
        page={page}
        field={field}
        kind={kind}
        values={values}
        onChange={setValues}
      />
      <div className={styles.end}>
        <Button type="submit" look="primary" disabled={kind !== 'none' && values.length === 0}>
          {t('Add the filter')}
        </Button>
      </div>
    </form>
  );
}

/** What is looked for most often in a field of this type. */
function preferred(field: Field | undefined, operators: readonly Operator[]): Operator | undefined {
  const wanted: Operator =
    field?.type === 'enum' ? 'in' : field?.type === 'string' || field?.type === 'text' ? 'contains' : 'eq';
  return operators.includes(wanted) ? wanted : operators[0];
}

interface ValueInputsProps {
  readonly page: Page;
  readonly field: Field;
  readonly kind: ReturnType<typeof valuesOf>;
  readonly values: readonly unknown[];
  readonly onChange: (values: readonly unknown[]) => void;
}

function ValueInputs({ page, field, kind, values, onChange }: ValueInputsProps) {
  if (kind === 'none') return null;
  if (kind === 'many' && field.values) {
    return (
      <fieldset className={styles.many}>
        <legend>{t('Values')}</legend>
        {field.values.map((value) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={values.includes(value)}
              onChange={({ target }) =>
                onChange(target.checked ? [...values, value] : values.filter((one) => one !== value))
              }
            />
            {field.labels?.[value] ?? value}
          </label>
        ))}
      </fieldset>
    );
  }
  if (kind === 'many') {
    return (
      <Labelled label={t('Values')} hint={t('Separated by commas')}>
        {(ties) => (
          <TextInput {...ties} onChange={({ target }) => onChange(target.value.split(',').map((one) => one.trim()))} />
        )}
      </Labelled>
    );
  }
  const { Editor } = FIELD_KINDS[field.type];
  const places = kind === 'two' ? [t('From'), t('To')] : [t('Value')];
  return (
    <div className={kind === 'two' ? styles.two : undefined}>
      {places.map((label, index) => (
        <Labelled key={label} label={label}>
          {(ties) => (
            <Editor
              field={field}
              value={values[index] ?? null}
              onChange={(value) => onChange(places.map((_, at) => (at === index ? value : values[at])))}
              ties={ties}
              pageKey={page.pageKey}
              record={null}
            />
          )}
        </Labelled>
      ))}
    </div>
  );
}
