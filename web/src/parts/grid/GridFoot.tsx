import { t } from '../../app/texts.ts';
import { Menu } from '../../ui/Menu.tsx';
import { MenuChoice } from '../../ui/MenuChoice.tsx';
import {
  FIGURE_KINDS,
  FIGURE_NAMES,
  figureName,
  formatFigure,
  isMeasurable,
  type Figure,
  type FigureKind,
} from '../records/figures.ts';
import { CHECK_WIDTH, type GridColumn } from './grid-column.ts';
import styles from './Grid.module.css';

interface GridFootProps {
  readonly columns: readonly GridColumn[];
  readonly template: string;
  readonly figures: readonly Figure[];
  /** Undefined while they are read. */
  readonly totals: Readonly<Record<string, unknown>> | undefined;
  readonly onFigure: (code: string, kind: FigureKind | 'none') => void;
}

/** The figures of all records of the list, below their columns. */
export function GridFoot({ columns, template, figures, totals, onFigure }: GridFootProps) {
  return (
    <div className={styles.foot} style={{ gridTemplateColumns: template }} role="rowgroup" aria-label={t('Totals')}>
      <div role="row" className={styles.contents}>
        {columns.map(({ code, label, field, pinnedAt }, index) => {
          if (!isMeasurable(field)) return null;
          const kind = figures.find((figure) => figure.code === code)?.kind;
          const value = totals?.[figureName(code)];
          const isPinned = pinnedAt !== null;
          return (
            <div
              key={code}
              role="gridcell"
              aria-colindex={index + 2}
              className={[styles.figure, isPinned && styles.pinned].filter(Boolean).join(' ')}
              style={{ gridColumn: index + 2, ...(isPinned && { left: pinnedAt ?? CHECK_WIDTH }) }}
            >
              <Menu
                align="end"
                trigger={
                  <button type="button" tabIndex={-1} title={t('Figure of {name}', { name: label })}>
                    {kind ? (
                      <>
                        {/* Where there is no room, the kind is cut off, and not the figure. */}
                        <span>{value === undefined ? '…' : formatFigure(value, kind)}</span>
                        <span className={styles.kind}>{t(FIGURE_NAMES[kind])}</span>
                      </>
                    ) : (
                      <span className={styles.kind}>{t('Figure')}</span>
                    )}
                  </button>
                }
              >
                <MenuChoice<FigureKind | 'none'>
                  label={label}
                  value={kind ?? 'none'}
                  options={[['none', t('None')], ...FIGURE_KINDS.map((one) => [one, t(FIGURE_NAMES[one])] as const)]}
                  onChange={(next) => onFigure(code, next)}
                />
              </Menu>
            </div>
          );
        })}
      </div>
    </div>
  );
}
