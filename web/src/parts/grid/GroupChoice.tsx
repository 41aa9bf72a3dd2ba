import type { Model } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuChoice } from '../../ui/MenuChoice.tsx';
import { groupableFields, isDay, parseGrouping, writeGrouping } from '../records/grouping.ts';
import type { PageSearch } from '../records/page-search.ts';

interface GroupChoiceProps {
  readonly model: Model;
  readonly search: PageSearch;
  readonly onChange: (change: PageSearch) => void;
}

/** By what the records of a list are put together. */
export function GroupChoice({ model, search, onChange }: GroupChoiceProps) {
  const grouping = parseGrouping(model, search.group);
  const fields = groupableFields(model).map((field) => {
    const name = fieldName(field);
    return isDay(field)
      ? ([`${field.code}:month`, t('{name}, by month', { name })] as const)
      : ([field.code, name] as const);
  });
  return (
    <Menu
      align="end"
      trigger={
        <Button look="plain" aria-pressed={grouping !== null}>
          <Icon name="group" />
          <span className="wide-only">
            {grouping ? t('Group: {name}', { name: fieldName(grouping.field) }) : t('Group')}
          </span>
        </Button>
      }
    >
      <MenuChoice
        label={t('Group by')}
        value={grouping ? writeGrouping(grouping) : ''}
        options={[['', t('None')], ...fields]}
        onChange={(group) => onChange({ group: group === '' ? undefined : group })}
      />
    </Menu>
  );
}
