import type { Condition } from '@keelson/client';
import { Suspense, useState } from 'react';
import type { Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { FailedDialog } from '../loading/FailedDialog.tsx';
import { FailedTool } from '../loading/FailedTool.tsx';
import { lazyPart } from '../loading/lazy-part.tsx';
import { FilterChip } from './FilterChip.tsx';
import styles from './Filters.module.css';

// After the first grid: forms and what floats weigh more than the chips.
const AddFilter = lazyPart(() => import('./AddFilter.tsx'), FailedTool);
const FilterBuilder = lazyPart(() => import('./FilterBuilder.tsx'), FailedDialog);

interface FiltersProps {
  readonly page: Page;
  readonly model: Model;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

/** The conditions of a list as chips, and ways to add to them and to put them into groups. */
export function Filters({ page, model, conditions, onChange }: FiltersProps) {
  const [isBuilding, setBuilding] = useState(false);
  const trigger = (isReady: boolean) => (
    <Button look="plain" disabled={!isReady}>
      <Icon name="filter" />
      {t('Filter')}
    </Button>
  );
  return (
    <div className={styles.filters}>
      {conditions.map((condition, index) => (
        <FilterChip
          key={JSON.stringify(condition)}
          model={model}
          condition={condition}
          onEdit={() => setBuilding(true)}
          onRemove={() => onChange(conditions.filter((_, at) => at !== index))}
        />
      ))}
      <Suspense fallback={trigger(false)}>
        <AddFilter
          page={page}
          model={model}
          trigger={trigger(true)}
          onAdd={(condition) => onChange([...conditions, condition])}
          onBuild={() => setBuilding(true)}
        />
      </Suspense>
      {isBuilding && (
        <Suspense>
          <FilterBuilder
            page={page}
            model={model}
            conditions={conditions}
            onChange={onChange}
            onClose={() => setBuilding(false)}
          />
        </Suspense>
      )}
    </div>
  );
}
