import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { useWatchedRun } from '../runs/use-watched-run.ts';
import type { FormProps } from './form.ts';
import styles from './parts.module.css';
import { RunChoice } from './RunChoice.tsx';
import { StepList } from './StepList.tsx';
import { Summary } from './Summary.tsx';

/** An automation: what starts it, its steps as a readable flow with a run on it, and its runs. */
export function AutomationParts(props: FormProps) {
  const { draft, content, saved } = props;
  const { steps, trigger, input, ...facts } = content;
  const { runs, watched, statuses, choose } = useWatchedRun(draft.code, saved !== null);
  return (
    <div className={styles.parts}>
      <Summary {...props} content={facts} />
      <section>
        <h2>{t('What starts it')}</h2>
        <Summary {...props} content={{ ...(trigger as object | undefined), ...(Array.isArray(input) && { input }) }} />
      </section>
      <section>
        <h2>{t('Steps')}</h2>
        {watched && <RunChoice runs={runs} watched={watched} onChoose={choose} />}
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
