import { t } from '../../app/texts.ts';
import { DryRun } from './DryRun.tsx';
import { Examples } from './Examples.tsx';
import type { FormProps } from './form.ts';
import styles from './parts.module.css';
import { StepList } from './StepList.tsx';
import { Facts } from './Facts.tsx';
import { Summary } from './Summary.tsx';

/** Keys that have a part of their own. */
const OWN_PARTS = ['steps', 'rules', 'examples', 'result'];

/** A command: what it takes, what it requires, its steps, and its examples, tried as they are written. */
export function CommandParts(props: FormProps) {
  const { draft, content, saved } = props;
  const { steps, rules, examples, result } = content;
  return (
    <div className={styles.parts}>
      <Facts {...props} without={OWN_PARTS} />
      {Array.isArray(rules) && rules.length > 0 && (
        <section>
          <h2>{t('Before it writes')}</h2>
          <StepList label={t('Before it writes')} steps={rules.map((rule: object) => ({ type: 'require', ...rule }))} />
        </section>
      )}
      {Array.isArray(steps) && steps.length > 0 && (
        <section>
          <h2>{t('Steps')}</h2>
          <StepList label={t('Steps')} steps={steps} />
        </section>
      )}
      {typeof result === 'object' && result !== null && (
        <section>
          <h2>{t('Result')}</h2>
          <Summary content={{ ...result }} />
        </section>
      )}
      {saved && (
        <section>
          <h2>{t('Try it on a record, as it is saved')}</h2>
          <DryRun code={draft.code} />
        </section>
      )}
      <section>
        <h2>{t('Examples')}</h2>
        <Examples code={draft.code} content={content} count={Array.isArray(examples) ? examples.length : 0} />
      </section>
    </div>
  );
}
