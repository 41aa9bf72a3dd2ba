import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { Facts } from './Facts.tsx';
import type { FormProps } from './form.ts';
import { mapsIn } from './maps-in.ts';
import styles from './parts.module.css';
import { TilePreview } from './TilePreview.tsx';

/** Keys that have a part of their own. */
const OWN_PARTS = ['tiles'];

/** A dashboard: its tiles in their order, with figures as they are in the editor. */
export function DashboardParts(props: FormProps) {
  const { draft, content, saved } = props;
  const { tiles } = content;
  return (
    <div className={styles.parts}>
      <Facts {...props} without={OWN_PARTS} />
      {saved && (
        <Link to="/dashboards/$code" params={{ code: draft.code }} className={styles.link}>
          {t('See it with figures')}
        </Link>
      )}
      <section>
        <h2>{t('Tiles')}</h2>
        {mapsIn(tiles).length === 0 && (
          <p className={styles.muted}>{t('None yet. Write one beside it: Ctrl Space offers what may stand there.')}</p>
        )}
        <div className={styles.tiles}>
          {mapsIn(tiles).map((tile, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <TilePreview key={index} tile={tile} />
          ))}
        </div>
      </section>
    </div>
  );
}
