import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import type { FormProps } from './form.ts';
import styles from './parts.module.css';
import { nameIn, Summary } from './Summary.tsx';
import type { Content } from './yaml-text.ts';

/** A dashboard: its tiles in their order, and the way to see them with figures. */
export function DashboardParts(props: FormProps) {
  const { draft, content, saved } = props;
  const { tiles, ...facts } = content;
  const all = Array.isArray(tiles) ? (tiles as Content[]) : [];
  return (
    <div className={styles.parts}>
      <Summary {...props} content={facts} />
      {saved && (
        <Link to="/dashboards/$code" params={{ code: draft.code }} className={styles.link}>
          {t('See it with figures')}
        </Link>
      )}
      <section>
        <h2>{t('Tiles')}</h2>
        <ul className={styles.list}>
          {all.map((tile, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              <div className={styles.line}>
                {nameIn(tile)}
                <span className={styles.muted}>{typeof tile.kind === 'string' && tile.kind}</span>
              </div>
              <code>{[tile.page, tile.datasource].filter((one) => typeof one === 'string').join(' ')}</code>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
