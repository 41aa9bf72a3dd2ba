import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { useWatchedRun } from '../runs/use-watched-run.ts';
import { Facts } from './Facts.tsx';
import type { FormProps } from './form.ts';
import styles from './parts.module.css';
import { RunChoice } from './RunChoice.tsx';
import { StepList } from './StepList.tsx';
import { Summary } from './Summary.tsx';

/** Keys that have a part of their own. */
const OWN_PARTS = ['steps', 'trigger', 'input'];

/** An automation: what starts it, its steps as a readable flow with a run on it, and its runs. */
export function AutomationParts(props: FormProps) {
  const { draft, content, saved } = props;
  const { steps, input } = content;
  const { runs, watched, statuses, choose } = useWatchedRun(draft.code, saved !== null);
  return (
    <div className={styles.parts}>
      <Facts {...props} without={OWN_PARTS} />
      <section>
        <h2>{t('What starts it')}</h2>
        <Facts {...props} of="trigger" />
        {Array.isArray(input) && <Summary content={{ input }} />}
      </section>
      <section>
        <h2>{t('Steps')}</h2>
        {watched && <RunChoice runs={runs} watched={watched} onChoose={choose} />}
        {Array.isArray(steps) && steps.length === 0 && (
          <p className={styles.muted}>{t('None yet. Write one beside it: Ctrl Space offers what may stand there.')}</p>
        )}
        <StepList label={t('Steps')} steps={steps} statuses={statuses} />
      </section>
      {saved && (
        <Link to="/operate/runs" search={{ automation: draft.code }} className={styles.link}>
          {t('Its runs')}
        </Link>
      )}
    </div>
  );
}
