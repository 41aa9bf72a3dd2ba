import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { SettledSelect } from '../../ui/SettledSelect.tsx';
import { resourceQuery } from './build-query.ts';
import { Facts } from './Facts.tsx';
import type { FormProps } from './form.ts';
import { fieldsOf } from './model-content.ts';
import { PagePreview } from './PagePreview.tsx';
import styles from './parts.module.css';
import { useContentOf } from './use-known.ts';
import { editYaml, moveItem } from './yaml-text.ts';

/** Keys that have a part of their own. */
const OWN_PARTS = ['columns'];

/** A page: its columns in their order, and a preview of its grid with records. */
export function PageForm(props: FormProps) {
  const { draft, content, saved, onText } = props;
  const { columns } = content;
  const { text, code: pageKey } = draft;
  const modelCode = typeof content.modelCode === 'string' ? content.modelCode : '';
  const { data: model } = useQuery({ ...resourceQuery('MODEL', modelCode), enabled: modelCode !== '' });
  const fields = fieldsOf(useContentOf('MODEL', modelCode));
  const names = new Map(fields.map((field) => [field.code ?? '', field.name ?? field.code ?? '']));
  const nameOf = (code: string): string => names.get(code) ?? fieldName({ code, name: code });
  const shown = Array.isArray(columns) ? columns.map(columnOf) : [];
  const others = fields.filter((field) => !shown.includes(field.code ?? ''));
  return (
    <div className={styles.parts}>
      <Facts {...props} without={OWN_PARTS} />
      <section>
        <h2>{t('Columns')}</h2>
        <ol className={`${styles.list} ${styles.dense}`} aria-label={t('Columns')}>
          {shown.map((column, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <li key={`${column} ${index}`}>
              <div className={styles.line}>
                <span>
                  {nameOf(column)} <code>{column}</code>
                </span>
                <span className={styles.row}>
                  <Button
                    look="plain"
                    label={t('Move {name} up', { name: column })}
                    disabled={index === 0}
                    onClick={() => onText(moveItem(text, ['columns'], index, index - 1))}
                  >
                    <Icon name="sortUp" />
                  </Button>
                  <Button
                    look="plain"
                    label={t('Take {name} out', { name: column })}
                    disabled={shown.length === 1}
                    onClick={() => onText(editYaml(text, [{ path: ['columns', index], value: undefined }]))}
                  >
                    <Icon name="close" />
                  </Button>
                </span>
              </div>
            </li>
          ))}
        </ol>
        {others.length > 0 && (
          <SettledSelect
            aria-label={t('Add a column')}
            value=""
            options={[
              ['', t('Add a column')],
              ...others.map(({ code: field = '', name = field }) => [field, name] as const),
            ]}
            onChoose={(field) => onText(editYaml(text, [{ path: ['columns', shown.length], value: field }]))}
          />
        )}
        {model === null && (
          <p className={styles.muted}>
            {t('The model is not saved yet:')}{' '}
            <Link to="/build/$type/$code" params={{ type: 'MODEL', code: modelCode }} search={{}}>
              {modelCode}
            </Link>
          </p>
        )}
      </section>
      {saved && model && <PagePreview pageKey={pageKey} columns={shown.map((column) => [column, nameOf(column)])} />}
    </div>
  );
}

function columnOf(column: unknown): string {
  if (typeof column === 'string') return column;
  const { fieldName } = (column ?? {}) as { readonly fieldName?: unknown };
  return typeof fieldName === 'string' ? fieldName : '';
}
