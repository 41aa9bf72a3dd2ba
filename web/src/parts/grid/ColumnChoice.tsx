import { isSystemField, type Model, type Page } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Popover } from '../../ui/Popover.tsx';
import styles from './ColumnChoice.module.css';

interface ColumnChoiceProps {
  readonly page: Page;
  readonly model: Model;
  /** Undefined: those of the page. */
  readonly chosen: readonly string[] | undefined;
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

/** Which columns are shown, and in which order. */
export function ColumnChoice({ page, model, chosen, onChange }: ColumnChoiceProps) {
  const shown = chosen ?? page.columns.map((column) => column.fieldName);
  const hidden = model.fields.filter(
    ({ code }) => !shown.includes(code) && (!isSystemField(code) || /_(at|by)$/.test(code)),
  );
  const fields = [...shown.flatMap((code) => model.fields.find((field) => field.code === code) ?? []), ...hidden];
  const toggle = (code: string) =>
    onChange(shown.includes(code) ? shown.filter((one) => one !== code) : [...shown, code]);
  const moveUp = (index: number) =>
    onChange(
      shown.map((code, at) => (at === index - 1 ? shown[index] : at === index ? shown[index - 1] : code) ?? code),
    );
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
              const isShown = shown.includes(field.code);
              const name = fieldName(field);
              return (
                <li key={field.code} className={styles.column}>
                  <label>
                    <input
                      type="checkbox"
                      checked={isShown}
                      disabled={isShown && shown.length === 1}
                      onChange={() => toggle(field.code)}
                    />
                    {name}
                  </label>
                  {isShown && index > 0 && (
                    <Button look="plain" label={t('Move {name} up', { name })} onClick={() => moveUp(index)}>
                      <Icon name="sortUp" />
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
          {chosen && (
            <div className={styles.end}>
              <Button
                look="plain"
                onClick={() => {
                  close();
                  onChange(undefined);
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
