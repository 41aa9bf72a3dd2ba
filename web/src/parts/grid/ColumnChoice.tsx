import { isSystemField, type Model, type Page } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Popover } from '../../ui/Popover.tsx';
import type { PageSearch } from '../records/page-search.ts';
import styles from './ColumnChoice.module.css';

interface ColumnChoiceProps {
  readonly page: Page;
  readonly model: Model;
  readonly search: PageSearch;
  readonly onChange: (change: PageSearch) => void;
}

/** Which columns are shown, in which order, which of them stay, and how high rows are. */
export default function ColumnChoice({ page, model, search, onChange }: ColumnChoiceProps) {
  const { cols, pin = [], rows, widths } = search;
  const shown = cols ?? page.columns.map((column) => column.fieldName);
  const hidden = model.fields.filter(
    ({ code }) => !shown.includes(code) && (!isSystemField(code) || /_(at|by)$/.test(code)),
  );
  const fields = [...shown.flatMap((code) => model.fields.find((field) => field.code === code) ?? []), ...hidden];
  const change = (codes: readonly string[]) => onChange({ cols: codes });
  const toggle = (code: string) =>
    change(shown.includes(code) ? shown.filter((one) => one !== code) : [...shown, code]);
  const togglePin = (code: string) => {
    const next = pin.includes(code) ? pin.filter((one) => one !== code) : [...pin, code];
    onChange({ pin: next.length > 0 ? next : undefined });
  };
  const moveUp = (index: number) =>
    change(shown.map((code, at) => (at === index - 1 ? shown[index] : at === index ? shown[index - 1] : code) ?? code));
  const isChanged = cols !== undefined || pin.length > 0 || widths !== undefined || rows !== undefined;
  return (
    <Popover
      align="end"
      label={t('Columns')}
      trigger={
        <Button look="plain" label={t('Columns')}>
          <Icon name="columns" />
        </Button>
      }
    >
      {(close) => (
        <>
          <ul className={styles.columns}>
            {fields.map((field, index) => {
              const { code } = field;
              const isShown = shown.includes(code);
              const isPinned = pin.includes(code);
              const name = fieldName(field);
              return (
                <li key={code} className={styles.column}>
                  <label>
                    <input
                      type="checkbox"
                      checked={isShown}
                      disabled={isShown && shown.length === 1}
                      onChange={() => toggle(code)}
                    />
                    {name}
                  </label>
                  {isShown && (
                    <Button
                      look="plain"
                      label={t('Pin {name}', { name })}
                      aria-pressed={isPinned}
                      onClick={() => togglePin(code)}
                    >
                      <Icon name="pin" />
                    </Button>
                  )}
                  {isShown && index > 0 && (
                    <Button look="plain" label={t('Move {name} up', { name })} onClick={() => moveUp(index)}>
                      <Icon name="sortUp" />
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
          <label className={styles.density}>
            <input
              type="checkbox"
              checked={rows === 'roomy'}
              onChange={({ target }) => onChange({ rows: target.checked ? 'roomy' : undefined })}
            />
            {t('Higher rows')}
          </label>
          {isChanged && (
            <div className={styles.end}>
              <Button
                look="plain"
                onClick={() => {
                  close();
                  onChange({ cols: undefined, pin: undefined, widths: undefined, rows: undefined });
                }}
              >
                {t("Show the page's columns")}
              </Button>
            </div>
          )}
        </>
      )}
    </Popover>
  );
}
