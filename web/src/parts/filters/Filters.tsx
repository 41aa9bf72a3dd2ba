import type { Condition } from '@keelson/client';
import { lazy, Suspense, useState } from 'react';
import type { Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Popover } from '../../ui/Popover.tsx';
import { FilterChip } from './FilterChip.tsx';
import styles from './Filters.module.css';

const FilterForm = lazy(() => import('./FilterForm.tsx'));
const FilterBuilder = lazy(() => import('./FilterBuilder.tsx'));

interface FiltersProps {
  readonly page: Page;
  readonly model: Model;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

/** The conditions of a list as chips, and ways to add to them and to put them into groups. */
export function Filters({ page, model, conditions, onChange }: FiltersProps) {
  const [isBuilding, setBuilding] = useState(false);
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
              onBuild={() => {
                close();
                setBuilding(true);
              }}
            />
          </Suspense>
        )}
      </Popover>
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
