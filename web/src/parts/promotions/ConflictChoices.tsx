import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { t } from '../../app/texts.ts';
import { StatusMark, type Tone } from '../../ui/StatusMark.tsx';
import styles from './ConflictChoices.module.css';
import { choiceName, conflictName } from './promotion-words.ts';
import type { Conflict } from './promotions-query.ts';

export type Choice = Conflict['resolutions'][number];
/** What was chosen and is not planned yet, by `choiceKey`. */
export type Choices = ReadonlyMap<string, Choice>;

export function choiceKey({ resourcePid, type }: Pick<Conflict, 'resourcePid' | 'type'>): string {
  return `${resourcePid} ${type}`;
}

interface ConflictChoicesProps {
  readonly conflicts: readonly Conflict[];
  readonly choices: Choices;
  /** Absent: nothing can be chosen any more. */
  readonly onChoose?: ((conflict: Conflict, choice: Choice) => void) | undefined;
}

const TONES: Readonly<Record<Conflict['severity'], Tone>> = { blocking: 'bad', consent: 'waiting', warning: 'quiet' };

/** What stands against one resource, each with the ways out of it. */
export function ConflictChoices({ conflicts, choices, onChoose }: ConflictChoicesProps) {
  if (conflicts.length === 0) return null;
  return (
    <ul className={styles.conflicts} aria-label={t('Conflicts')}>
      {conflicts.map((conflict, index) => (
        <li key={`${choiceKey(conflict)} ${index}`}>
          <OneConflict conflict={conflict} chosen={choices.get(choiceKey(conflict))} onChoose={onChoose} />
        </li>
      ))}
    </ul>
  );
}

interface OneConflictProps {
  readonly conflict: Conflict;
  readonly chosen: Choice | undefined;
  readonly onChoose: ConflictChoicesProps['onChoose'];
}

function OneConflict({ conflict, chosen, onChoose }: OneConflictProps) {
  const name = useId();
  const { type, severity, message, resolutions, resolution, details } = conflict;
  const { promotionPid } = details;
  return (
    <fieldset className={styles.conflict} data-severity={severity}>
      <legend>
        <StatusMark tone={resolution === null ? TONES[severity] : 'good'}>{conflictName(type)}</StatusMark>
      </legend>
      <p>
        {message}
        {typeof promotionPid === 'string' && (
          <>
            {' · '}
            <Link to="/promotions/$pid" params={{ pid: promotionPid }} search={{}}>
              {t('Show that promotion')}
            </Link>
          </>
        )}
      </p>
      {resolutions.length > 0 && (
        <div className={styles.choices}>
          {resolutions.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name={name}
                checked={(chosen ?? resolution) === choice}
                disabled={!onChoose}
                onChange={() => onChoose?.(conflict, choice)}
              />
              {choiceName(choice)}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}
