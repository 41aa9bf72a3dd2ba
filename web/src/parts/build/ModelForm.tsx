import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { SettledSelect } from '../../ui/SettledSelect.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import { FieldTable } from './FieldTable.tsx';
import { fieldsOf } from './model-content.ts';
import styles from './ModelForm.module.css';
import { ModelPicture } from './ModelPicture.tsx';
import { TypedInput } from './TypedInput.tsx';
import type { FormProps } from './form.ts';
import { useKnown } from './use-known.ts';
import { editYaml } from './yaml-text.ts';

/** A model: its name, its fields as a table, its relations as a picture. */
export function ModelForm({ draft, content, saved, notes, onText }: FormProps) {
  const { data: models = [], error, refetch } = useKnown('MODEL');
  const { text, code } = draft;
  const fields = fieldsOf(content);
  const { name, displayField } = content;
  const shown = typeof displayField === 'string' ? displayField : '';
  return (
    <div className={styles.form}>
      <div className={styles.head}>
        <Labelled label={t('Name')}>
          {(ties) => (
            <TypedInput
              {...ties}
              value={typeof name === 'string' ? name : ''}
              onChange={(typed) => onText(editYaml(text, [{ path: ['name'], value: typed }]))}
            />
          )}
        </Labelled>
        <Labelled label={t('People know a record by')}>
          {(ties) => (
            <SettledSelect
              {...ties}
              value={shown}
              options={[
                ['', t('its first text')],
                ...fields.map(({ code: field = '', name: label = field }) => [field, label] as const),
              ]}
              onChoose={(field) =>
                onText(editYaml(text, [{ path: ['displayField'], value: field === '' ? undefined : field }]))
              }
            />
          )}
        </Labelled>
      </div>
      <FieldTable
        text={text}
        content={content}
        saved={saved}
        notes={notes}
        models={models.map((model) => model.code)}
        onText={onText}
      />
      {error && <FailedRead error={error} onRetry={() => void refetch()} />}
      <ModelPicture code={code} content={content} models={models} />
    </div>
  );
}
