import type { Operator } from '@keelson/client';
import { findField, type Field, type Model, type Page } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import type { ComparisonDraft } from './drafts.ts';
import { filterFields, operatorsOf, preferredOperator } from './filter-fields.ts';
import styles from './Filters.module.css';
import { OPERATOR_NAMES, valuesOf } from './operators.ts';

interface ConditionFieldsProps {
  readonly page: Page;
  readonly model: Model;
  readonly draft: ComparisonDraft;
  readonly onChange: (draft: ComparisonDraft) => void;
}

/** A field, an operator of its type, a value by the editor of its type. */
export function ConditionFields({ page, model, draft, onChange }: ConditionFieldsProps) {
  const field = findField(model, draft.code);
  if (!field) return null;
  const kind = valuesOf(draft.operator);
  return (
    <>
      <Labelled label={t('Field')}>
        {(ties) => (
          <Select
            {...ties}
            value={field.code}
            options={filterFields(page, model).map((one) => [one.code, fieldName(one)] as const)}
            onChoose={(code) => {
              const operator = preferredOperator(page, findField(model, code)) ?? draft.operator;
              onChange({ ...draft, code, operator, values: [] });
            }}
          />
        )}
      </Labelled>
      <Labelled label={t('Condition')}>
        {(ties) => (
          <Select
            {...ties}
            value={draft.operator}
            options={operatorsOf(page, field, draft.operator).map((one) => [one, t(OPERATOR_NAMES[one])] as const)}
            onChoose={(next) => {
              const operator = next as Operator;
              const isAlike = valuesOf(operator) === kind;
              onChange({ ...draft, operator, values: isAlike ? draft.values : [] });
            }}
          />
        )}
      </Labelled>
      <ValueInputs
        key={`${field.code} ${draft.operator}`}
        page={page}
        field={field}
        kind={kind}
        values={draft.values}
        onChange={(values) => onChange({ ...draft, values })}
      />
    </>
  );
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
          <TextInput
            {...ties}
            defaultValue={values.join(', ')}
            onChange={({ target }) => onChange(target.value.split(',').map((one) => one.trim()))}
          />
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
