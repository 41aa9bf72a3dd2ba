import { memo } from 'react';
import { plural, t } from '../../app/texts.ts';
import styles from './DifferenceChoice.module.css';
import { kindName } from './promotion-words.ts';
import type { Difference, Differences } from './promotions-query.ts';

interface DifferenceChoiceProps {
  readonly differences: readonly Difference[];
  readonly chosen: ReadonlySet<string>;
  /** The same in each render: there may be thousands of differences. */
  readonly onChange: (pids: readonly string[], isChosen: boolean) => void;
}

/** All that differs between two environments, in the order of kinds. */
export function allDifferences({ added, updated, removed }: Differences): Difference[] {
  return [...added, ...updated, ...removed].toSorted((one, other) =>
    `${one.resourceType} ${one.code}` < `${other.resourceType} ${other.code}` ? -1 : 1,
  );
}

/** What goes: the differences, by application. */
export function DifferenceChoice({ differences, chosen, onChange }: DifferenceChoiceProps) {
  const owned = differences.toSorted(
    (one, other) => Number(one.application === null) - Number(other.application === null),
  );
  const groups = Map.groupBy(owned, ({ application }) => application);
  return (
    <div className={styles.groups}>
      {[...groups].map(([application, found]) => {
        const pids = found.map(({ pid }) => pid);
        const count = pids.filter((pid) => chosen.has(pid)).length;
        const name = application ?? t('Of no application');
        return (
          <fieldset key={name} className={styles.group}>
            <legend>
              <label>
                <input
                  type="checkbox"
                  checked={count === pids.length}
                  ref={(box) => {
                    if (box) box.indeterminate = count > 0 && count < pids.length;
                  }}
                  onChange={({ target }) => onChange(pids, target.checked)}
                />
                {name}
                <span>{plural(pids.length, '{count} difference', '{count} differences')}</span>
              </label>
            </legend>
            <ul>
              {found.map((difference) => (
                <li key={difference.pid}>
                  <OneDifference difference={difference} isChosen={chosen.has(difference.pid)} onChange={onChange} />
                </li>
              ))}
            </ul>
          </fieldset>
        );
      })}
    </div>
  );
}

interface OneDifferenceProps {
  readonly difference: Difference;
  readonly isChosen: boolean;
  readonly onChange: DifferenceChoiceProps['onChange'];
}

const OneDifference = memo(function OneDifference({ difference, isChosen, onChange }: OneDifferenceProps) {
  const { pid, resourceType, code, sourceVersion, targetVersion, ddl } = difference;
  const mark = targetVersion === null ? t('added') : sourceVersion === null ? t('removed') : t('changed');
  return (
    <label className={styles.one}>
      <input type="checkbox" checked={isChosen} onChange={({ target }) => onChange([pid], target.checked)} />
      <span className={styles.code} title={code}>
        {code}
      </span>
      <span className={styles.kind}>{kindName(resourceType)}</span>
      <span className={styles.mark}>
        {mark}
        {ddl.length > 0 && ` · ${t('table')}`}
      </span>
      <span className={styles.versions}>
        {[targetVersion, sourceVersion].map((version) => (version === null ? '–' : `v${version}`)).join(' → ')}
      </span>
    </label>
  );
});
