import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import type { FormProps } from './form.ts';
import { mapsIn } from './maps-in.ts';
import styles from './parts.module.css';
import { Summary } from './Summary.tsx';
import { TilePreview } from './TilePreview.tsx';

/** A dashboard: its tiles in their order, with figures as they are in the editor. */
export function DashboardParts(props: FormProps) {
  const { draft, content, saved } = props;
  const { tiles, ...facts } = content;
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
