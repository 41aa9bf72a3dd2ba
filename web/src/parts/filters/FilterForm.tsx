import type { Condition } from '@keelson/client';
import { useState, type SubmitEvent } from 'react';
import type { Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConditionFields } from './ConditionFields.tsx';
import { conditionOf, newComparison } from './drafts.ts';
import styles from './Filters.module.css';

interface FilterFormProps {
  readonly page: Page;
  readonly model: Model;
  readonly onAdd: (condition: Condition) => void;
  readonly onBuild: () => void;
}

/** One condition more. */
export default function FilterForm({ page, model, onAdd, onBuild }: FilterFormProps) {
  const [draft, setDraft] = useState(() => newComparison(page, model));
  const condition = conditionOf(draft);
  return (
    <form
      className={styles.form}
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        if (condition) onAdd(condition);
      }}
    >
      <ConditionFields page={page} model={model} draft={draft} onChange={setDraft} />
      <div className={styles.end}>
        <Button look="plain" onClick={onBuild}>
          {t('Build groups')}
        </Button>
        <Button type="submit" look="primary" disabled={!condition}>
          {t('Add the filter')}
        </Button>
      </div>
    </form>
  );
}
