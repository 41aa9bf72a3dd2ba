import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import type { FormProps } from './form.ts';
import styles from './parts.module.css';
import { StepList } from './StepList.tsx';
import { Summary } from './Summary.tsx';

/** An automation: what starts it, its steps as a readable flow, and its runs. */
export function AutomationParts(props: FormProps) {
  const { draft, content, saved } = props;
  const { steps, trigger, input, ...facts } = content;
  return (
    <div className={styles.parts}>
      <Summary {...props} content={facts} />
      <section>
        <h2>{t('What starts it')}</h2>
        <Summary {...props} content={{ ...(trigger as object | undefined), ...(Array.isArray(input) && { input }) }} />
      </section>
      <section>
        <h2>{t('Steps')}</h2>
        <StepList label={t('Steps')} steps={steps} />
      </section>
      {saved && (
        <Link to="/operate/runs" search={{ automation: draft.code }} className={styles.link}>
          {t('Its runs')}
        </Link>
      )}
    </div>
  );
}
