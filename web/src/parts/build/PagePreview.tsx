import { useQuery } from '@tanstack/react-query';
import type { RecordData } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { shown } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import { textOf } from '../fields/field-kind.ts';
import { RESOURCES } from './build-query.ts';
import styles from './parts.module.css';

interface PagePreviewProps {
  readonly pageKey: string;
  /** Codes of fields, with what people call them. */
  readonly columns: readonly (readonly [code: string, name: string])[];
}

const ROWS = 5;

/** The first records of a page that is saved, in the columns as they are in the editor. */
export function PagePreview({ pageKey, columns }: PagePreviewProps) {
  const fields = columns.map(([code]) => code);
  const { data: records, error } = useQuery({
    queryKey: [...RESOURCES, 'preview', pageKey, fields],
    enabled: fields.length > 0,
    queryFn: async ({ signal }): Promise<readonly RecordData[]> =>
      (await client.page(pageKey).list({ fields, pageSize: ROWS, count: 'none', signal }))
        .records as unknown as RecordData[],
  });
  return (
    <section>
      <h2>{t('Its first records')}</h2>
      {error && <p className={styles.muted}>{shown(error).title}</p>}
      {records && (
        <div className={styles.rows} tabIndex={0} role="group" aria-label={t('Its first records')}>
          <table>
            <thead>
              <tr>
                {columns.map(([code, name]) => (
                  <th key={code} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <tr key={record.pid}>
                  {fields.map((code) => (
                    <td key={code}>{textOf(record[code])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {records.length === 0 && <p className={styles.empty}>{t('There is none yet.')}</p>}
        </div>
      )}
    </section>
  );
}
