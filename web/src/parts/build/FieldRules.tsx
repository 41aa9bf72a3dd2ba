import { t, type TextKey } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { textOf } from '../fields/field-kind.ts';
import styles from './FieldRules.module.css';
import type { FieldDraft, FieldType } from './model-content.ts';
import { ruleWords } from './type-words.ts';
import { TypedInput } from './TypedInput.tsx';

interface FieldRulesProps {
  readonly field: FieldDraft;
  readonly name: string;
  readonly models: readonly string[];
  readonly onChange: (key: string, value: unknown) => void;
}

type NumberRule = 'min' | 'max' | 'scale' | 'maxLength';
type Switch = 'unique' | 'indexed' | 'searchable' | 'readPermission' | 'writePermission';

const NUMBERS: Readonly<Record<NumberRule, TextKey>> = {
  min: 'At least',
  max: 'At most',
  scale: 'Digits after the point',
  maxLength: 'Letters at most',
};
const SWITCHES: Readonly<Record<Switch, TextKey>> = {
  unique: 'No two records share a value',
  indexed: 'Quick to filter and sort by',
  searchable: 'Found by the search',
  readPermission: 'Reading it needs a right of its own',
  writePermission: 'Writing it needs a right of its own',
};
const NUMBERS_OF: Readonly<Partial<Record<FieldType, readonly NumberRule[]>>> = {
  string: ['maxLength'],
  text: ['maxLength'],
  integer: ['min', 'max'],
  bigint: ['min', 'max'],
  decimal: ['min', 'max', 'scale'],
};

/** What else holds for a field, in words; a click opens it to be changed. */
export function FieldRules({ field, name, models, onChange }: FieldRulesProps) {
  const { type = 'string', target, values, onDelete } = field;
  const words = ruleWords(field);
  const said = words.length > 0 ? words.join(' · ') : '–';
  const isText = type === 'string' || type === 'text';
  const shown = (Object.keys(SWITCHES) as Switch[]).filter((key) => key !== 'searchable' || isText);
  return (
    <Popover
      label={t('Rules of {name}', { name })}
      align="end"
      trigger={
        <button
          type="button"
          className={styles.words}
          aria-label={`${t('Rules of {name}', { name })}: ${said}`}
          title={words.join('\n')}
        >
          {said}
        </button>
      }
    >
      {() => (
        <div className={styles.rules}>
          {type === 'relation' && (
            <>
              <Labelled label={t('Refers to')}>
                {(ties) => (
                  <Select
                    {...ties}
                    value={target ?? ''}
                    options={[...new Set([...(target === undefined ? [''] : [target]), ...models])].map((one) => [
                      one,
                      one,
                    ])}
                    onChoose={(model) => onChange('target', model)}
                  />
                )}
              </Labelled>
              <Labelled label={t('When that one is deleted')}>
                {(ties) => (
                  <Select
                    {...ties}
                    value={onDelete ?? 'restrict'}
                    options={[
                      ['restrict', t('It cannot be deleted')],
                      ['setNull', t('The relation is emptied')],
                      ['cascade', t('This one goes with it')],
                    ]}
                    onChoose={(next) => onChange('onDelete', next === 'restrict' ? undefined : next)}
                  />
                )}
              </Labelled>
            </>
          )}
          {type === 'enum' && (
            <Labelled label={t('Values, one a line')}>
              {(ties) => (
                <TextArea
                  {...ties}
                  rows={5}
                  defaultValue={(values ?? []).join('\n')}
                  onBlur={({ target: { value } }) => {
                    const lines = value.split('\n').map((line) => line.trim());
                    const next = lines.filter((line) => line !== '');
                    if (next.join('\n') !== (values ?? []).join('\n')) onChange('values', next);
                  }}
                />
              )}
            </Labelled>
          )}
          <div className={styles.numbers}>
            {(NUMBERS_OF[type] ?? []).map((key) => (
              <Labelled key={key} label={t(NUMBERS[key])}>
                {(ties) => (
                  <TypedInput
                    {...ties}
                    isNumber
                    value={field[key] === undefined ? '' : String(field[key])}
                    onChange={(typed) => onChange(key, typed === '' ? undefined : Number(typed))}
                  />
                )}
              </Labelled>
            ))}
            {isText && <PatternRules field={field} onChange={onChange} />}
            <Labelled label={t('Value where none is given')}>
              {(ties) => (
                <TypedInput
                  {...ties}
                  value={textOf(field.default)}
                  onChange={(typed) => onChange('default', typed === '' ? undefined : valueOf(type, typed))}
                />
              )}
            </Labelled>
          </div>
          {shown.map((key) => (
            <label key={key} className={styles.switch}>
              <input
                type="checkbox"
                checked={field[key] === true}
                onChange={({ target: { checked } }) => onChange(key, checked || undefined)}
              />
              {t(SWITCHES[key])}
            </label>
          ))}
        </div>
      )}
    </Popover>
  );
}

/** What a text must match, and what people read where it does not. */
function PatternRules({ field, onChange }: Pick<FieldRulesProps, 'field' | 'onChange'>) {
  const { pattern, patternMessage } = field;
  const isGiven = pattern !== undefined || patternMessage !== undefined;
  return (
    <>
      <Labelled label={t('Pattern')}>
        {(ties) => (
          <TypedInput
            {...ties}
            value={pattern ?? ''}
            onChange={(typed) => onChange('pattern', typed === '' ? undefined : typed)}
          />
        )}
      </Labelled>
      {isGiven && (
        <Labelled label={t('Said where it does not match')}>
          {(ties) => (
            <TypedInput
              {...ties}
              value={patternMessage ?? ''}
              onChange={(typed) => onChange('patternMessage', typed === '' ? undefined : typed)}
            />
          )}
        </Labelled>
      )}
    </>
  );
}

/** As the type has it: what cannot be read stays a text, and the service says so. */
function valueOf(type: FieldType, typed: string): unknown {
  if (type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : typed;
  if (type === 'integer') return Number.isInteger(Number(typed)) ? Number(typed) : typed;
  return typed;
}
