import type { Condition } from '@keelson/client';
import { lazy, Suspense } from 'react';
import type { Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { FilterChip } from './FilterChip.tsx';
import styles from './Filters.module.css';

const FilterForm = lazy(() => import('./FilterForm.tsx'));

interface FiltersProps {
  readonly page: Page;
  readonly model: Model;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

/** The conditions of a list as chips, and a way to add one. */
export function Filters({ page, model, conditions, onChange }: FiltersProps) {
  return (
    <div className={styles.filters}>
      {conditions.map((condition, index) => {
        const remove = () => onChange(conditions.filter((_, at) => at !== index));
        return <FilterChip key={JSON.stringify(condition)} model={model} condition={condition} onRemove={remove} />;
      })}
      <Popover
        label={t('Add a filter')}
        trigger={
          <Button look="plain">
            <Icon name="filter" />
            {t('Filter')}
          </Button>
        }
      >
        {(close) => (
          <Suspense>
            <FilterForm
              page={page}
              model={model}
              onAdd={(condition) => {
                close();
                onChange([...conditions, condition]);
              }}
            />
          </Suspense>
        )}
      </Popover>
    </div>
  );
}
