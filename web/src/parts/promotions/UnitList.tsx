import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { KIND_ORDER, kindName, markOf } from './promotion-words.ts';
import type { Change, Conflict } from './promotions-query.ts';
import styles from './UnitList.module.css';

interface UnitListProps {
  readonly pid: string;
  readonly changes: readonly Change[];
  readonly conflicts: readonly Conflict[];
  /** The pid of the one that is looked at. */
  readonly chosen: string | undefined;
  /** Whether there is a plan, which some may not be part of. */
  readonly isPlanned: boolean;
}

const SIGNS = { ADD: '+', UPDATE: '~', REMOVE: '−' } as const;

/** What a promotion is about, grouped by kind, each with its mark. */
export function UnitList({ pid, changes, conflicts, chosen, isPlanned }: UnitListProps) {
  const open = new Set(conflicts.filter(isUndecided).map(({ resourcePid }) => resourcePid));
  const groups = KIND_ORDER.flatMap((kind) => {
    const units = changes.filter(({ resourceType }) => resourceType === kind);
    return units.length === 0 ? [] : [{ kind, units }];
  });
  return (
    <nav className={styles.list} aria-label={t('What it changes')}>
      {groups.map(({ kind, units }) => (
        <section key={kind} aria-label={kindName(kind)}>
          <h2 className={styles.kind}>
            {kindName(kind)} <span>{units.length}</span>
          </h2>
          <ul>
            {units.map((unit) => {
              const isConflict = open.has(unit.pid);
              const isOut = isPlanned && !unit.inPlan;
              return (
                <li key={unit.pid}>
                  <Link
                    to="/promotions/$pid"
                    params={{ pid }}
                    search={{ unit: unit.pid }}
                    className={styles.unit}
                    aria-current={unit.pid === chosen ? 'true' : undefined}
                    data-out={isOut || undefined}
                    title={unit.code}
                  >
                    <span className={styles.sign} data-action={unit.action} aria-hidden="true">
                      {SIGNS[unit.action]}
                    </span>
                    <span className={styles.code}>{unit.code}</span>
                    <span className={isConflict ? styles.conflict : styles.mark}>
                      {isConflict ? t('conflict') : isOut ? t('left out') : markOf(unit)}
                    </span>
                  </Link>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** Whether a person must still decide it before there can be a plan. */
export function isUndecided({ severity, resolution }: Conflict): boolean {
  return severity === 'blocking' && resolution === null;
}
