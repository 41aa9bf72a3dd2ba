import type { Condition } from '@keelson/client';
import type { ReactElement } from 'react';
import type { Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Popover } from '../../ui/Popover.tsx';
import FilterForm from './FilterForm.tsx';

interface AddFilterProps {
  readonly page: Page;
  readonly model: Model;
  readonly trigger: ReactElement;
  readonly onAdd: (condition: Condition) => void;
  readonly onBuild: () => void;
}

/** A button with a form for one condition more. */
export default function AddFilter({ page, model, trigger, onAdd, onBuild }: AddFilterProps) {
  return (
    <Popover label={t('Add a filter')} trigger={trigger}>
      {(close) => (
        <FilterForm
          page={page}
          model={model}
          onAdd={(condition) => {
            close();
            onAdd(condition);
          }}
          onBuild={() => {
            close();
            onBuild();
          }}
        />
      )}
    </Popover>
  );
}
