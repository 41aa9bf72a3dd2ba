import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuItem } from '../../ui/MenuItem.tsx';
import { MenuSeparator } from '../../ui/MenuSeparator.tsx';
import { SettledSelect } from '../../ui/SettledSelect.tsx';
import { FieldRules } from './FieldRules.tsx';
import styles from './FieldTable.module.css';
import { codeOf, FIELD_TYPES, type FieldDraft, type FieldType } from './model-content.ts';
import { TypedInput } from './TypedInput.tsx';
import { typeName } from './type-words.ts';
import { wordsOf, type DraftNote } from './use-plan.ts';
import type { Edit } from './yaml-text.ts';

interface FieldRowProps {
  readonly field: FieldDraft;
  /** Its code may follow its label. */
  readonly isNew: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly models: readonly string[];
  readonly notes: readonly DraftNote[];
  readonly onChange: (key: string, value: unknown) => void;
  readonly onChangeAll: (edits: readonly Edit[]) => void;
  readonly onRename: (code: string) => void;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}

/** One field: its label, code, type, whether it is required, and what else holds for it. */
export function FieldRow({ field, isNew, isFirst, isLast, models, notes, ...on }: FieldRowProps) {
  const { code = '', name = '', type = 'string', required = false } = field;
  const isWrong = (key: string): boolean => notes.some(({ path, tone }) => tone === 'bad' && path.at(2) === key);
  const of = { name: name === '' ? code : name };

  function label(next: string) {
    const follows = isNew && (code === codeOf(name) || /^field(_\d+)?$/.test(code)) && codeOf(next) !== '';
    on.onChangeAll([{ path: ['name'], value: next }, ...(follows ? [{ path: ['code'], value: codeOf(next) }] : [])]);
  }

  function choose(next: FieldType) {
    on.onChangeAll([
      { path: ['type'], value: next },
      ...(next === 'enum' && !field.values ? [{ path: ['values'], value: ['new'] }] : []),
      ...(next === 'relation' && field.target === undefined ? [{ path: ['target'], value: models[0] ?? '' }] : []),
    ]);
  }

  return (
    <>
      <tr data-wrong={notes.some(({ tone }) => tone === 'bad') || undefined}>
        <td>
          <TypedInput label={t('Label of {name}', of)} value={name} isInvalid={isWrong('name')} onChange={label} />
        </td>
        <td className={styles.code}>
          <TypedInput label={t('Code of {name}', of)} value={code} isInvalid={isWrong('code')} onChange={on.onRename} />
        </td>
        <td>
          <SettledSelect
            aria-label={t('Type of {name}', of)}
            aria-invalid={isWrong('type')}
            value={type}
            options={[
              ...(FIELD_TYPES.includes(type) ? [] : [[type, type] as const]),
              ...FIELD_TYPES.map((one) => [one, typeName(one)] as const),
            ]}
            onChoose={(next) => choose(next as FieldType)}
          />
        </td>
        <td className={styles.must}>
          <input
            type="checkbox"
            aria-label={t('{name} is required', of)}
            checked={required}
            onChange={({ target }) => on.onChange('required', target.checked || undefined)}
          />
        </td>
        <td>
          <FieldRules field={field} name={of.name} models={models} onChange={on.onChange} />
        </td>
        <td className={styles.more}>
          <Menu
            align="end"
            trigger={
              <Button look="plain" label={t('More for {name}', of)}>
                <Icon name="more" />
              </Button>
            }
          >
            <MenuItem onClick={() => on.onMove(-1)} reason={isFirst ? '' : null}>
              {t('Move up')}
            </MenuItem>
            <MenuItem onClick={() => on.onMove(1)} reason={isLast ? '' : null}>
              {t('Move down')}
            </MenuItem>
            <MenuSeparator />
            <MenuItem isDangerous onClick={on.onRemove}>
              {t('Remove the field')}
            </MenuItem>
          </Menu>
        </td>
      </tr>
      {notes.map(({ text, tone, path }) => (
        <tr key={`${path.join('.')} ${text}`} className={styles.note} data-tone={tone}>
          <td colSpan={6}>{wordsOf({ path, text })}</td>
        </tr>
      ))}
    </>
  );
}
