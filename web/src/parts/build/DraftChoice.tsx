import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { kindName, markOf } from '../promotions/promotion-words.ts';
import styles from './DraftChoice.module.css';
import { nameOf, useDrafts, type Draft } from './drafts.ts';
import type { DraftPlan } from './use-plan.ts';

interface DraftChoiceProps {
  readonly drafts: readonly Draft[];
  readonly planned: DraftPlan;
}

const SIGNS = { ADD: '+', UPDATE: '~', REMOVE: '−' } as const;

/** What is saved together: all drafts, or some of them. */
export function DraftChoice({ drafts, planned: { plan, notes, unreadable } }: DraftChoiceProps) {
  const { keep } = useDrafts();
  const changes = new Map(plan?.changes.map((change) => [nameOf(change), change]));
  return (
    <ul className={styles.drafts} aria-label={t('Drafts')}>
      {drafts.map((draft) => {
        const { resourceType, code, version, isLeftOut = false } = draft;
        const name = nameOf(draft);
        const action = version === null ? 'ADD' : 'UPDATE';
        const isWrong =
          unreadable.some((one) => nameOf(one) === name) ||
          notes.get(name)?.some(({ tone }) => tone === 'bad') === true;
        const change = changes.get(name);
        return (
          <li key={name} data-out={isLeftOut || undefined}>
            <input
              type="checkbox"
              aria-label={t('Save {code}', { code })}
              checked={!isLeftOut}
              onChange={({ target }) => keep({ ...draft, isLeftOut: !target.checked })}
            />
            <span className={styles.sign} data-action={action} aria-hidden="true">
              {SIGNS[action]}
            </span>
            <Link to="/build/$type/$code" params={{ type: resourceType, code }} search={{}} title={code}>
              {code}
            </Link>
            <span className={isWrong ? styles.wrong : styles.about}>
              {isWrong ? t('has problems') : `${kindName(resourceType)} · ${markOf({ action })}`}
              {change &&
                ` · ${[change.targetVersion, change.sourceVersion].map((one) => (one === null ? '–' : `v${one}`)).join(' → ')}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
