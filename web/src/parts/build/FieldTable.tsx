import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { FieldRow } from './FieldRow.tsx';
import styles from './FieldTable.module.css';
import { fieldsOf, freeCode } from './model-content.ts';
import type { DraftNote } from './use-plan.ts';
import { editYaml, moveItem, type Content, type Edit } from './yaml-text.ts';

interface FieldTableProps {
  /** The text of the model, and its content. */
  readonly text: string;
  readonly content: Content;
  /** What is saved: a field of it keeps its values when its code changes. */
  readonly saved: Content | null;
  readonly notes: readonly DraftNote[];
  readonly models: readonly string[];
  readonly onText: (text: string) => void;
}

/** The fields of a model, to be edited in their rows; the text beside it is the same draft. */
export function FieldTable({ text, content, saved, notes, models, onText }: FieldTableProps) {
  const fields = fieldsOf(content);
  const before = new Set(fieldsOf(saved).map(({ code }) => code));
  const edit = (...edits: Edit[]) => onText(editYaml(text, edits));

  function rename(index: number, code: string): Edit[] {
    const { code: now = '', renamedFrom } = fields[index] ?? {};
    const first = renamedFrom ?? (before.has(now) ? now : undefined);
    const from = first === undefined || first === code ? undefined : first;
    return [
      { path: ['fields', index, 'code'], value: code },
      ...(from === renamedFrom ? [] : [{ path: ['fields', index, 'renamedFrom'], value: from }]),
    ];
  }

  function add() {
    const code = freeCode('field', new Set(fields.map((field) => field.code ?? '')));
    const field = { code, name: t('New field'), type: 'string' };
    edit(
      fields.length === 0 ? { path: ['fields'], value: [field] } : { path: ['fields', fields.length], value: field },
    );
  }

  return (
    <div className={styles.fields}>
      <table className={styles.table} aria-label={t('Fields')}>
        <thead>
          <tr>
            <th scope="col">{t('Label')}</th>
            <th scope="col">{t('Code')}</th>
            <th scope="col">{t('Type')}</th>
            <th scope="col" className={styles.must}>
              {t('Required')}
            </th>
            <th scope="col">{t('Rules')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('What can be done')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field, index) => (
            <FieldRow
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              field={field}
              isNew={!before.has(field.code) && field.renamedFrom === undefined}
              isFirst={index === 0}
              isLast={index === fields.length - 1}
              models={models}
              notes={notes.filter(({ path: [list, at] }) => list === 'fields' && String(at) === String(index))}
              onChange={(key, value) => edit({ path: ['fields', index, key], value })}
              onChangeAll={(edits) =>
                edit(...edits.map(({ path, value }) => ({ path: ['fields', index, ...path], value })))
              }
              onRename={(code) => edit(...rename(index, code))}
              onMove={(by) => onText(moveItem(text, ['fields'], index, index + by))}
              onRemove={() => edit({ path: ['fields', index], value: undefined })}
            />
          ))}
        </tbody>
      </table>
      <div className={styles.add}>
        <Button onClick={add}>
          <Icon name="add" />
          {t('Add a field')}
        </Button>
      </div>
    </div>
  );
}
