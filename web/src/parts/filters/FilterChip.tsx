import type { Condition } from '@keelson/client';
import { useQuery } from '@tanstack/react-query';
import { findField, findModel, nameField, type Model } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { textOf } from '../fields/field-kind.ts';
import { recordsKey } from '../records/record-list.ts';
import styles from './Filters.module.css';
import { conditionText } from './operators.ts';

interface FilterChipProps {
  readonly model: Model;
  readonly condition: Condition;
  readonly onRemove: () => void;
}

/** A condition that a list is narrowed by. */
export function FilterChip({ model, condition, onRemove }: FilterChipProps) {
  const named = useRelatedName(model, condition);
  const text = conditionText(condition, model, named);
  return (
    <span className={styles.chip}>
      <span title={text}>{text}</span>
      <Button look="plain" label={t('Remove the filter {text}', { text })} onClick={onRemove}>
        <Icon name="close" />
      </Button>
    </span>
  );
}

/** What the record is called that a condition names by its pid. */
function useRelatedName(model: Model, condition: Condition): string | undefined {
  const { data: application } = useQuery(applicationQuery);
  const { fieldName, value } = 'fieldName' in condition ? condition : {};
  const code = fieldName === undefined ? undefined : findField(model, fieldName)?.target;
  const target = code === undefined ? undefined : application && findModel(application, code);
  const pageKey = application?.pages.find(({ modelCode }) => modelCode === code)?.pageKey ?? '';
  const pid = typeof value === 'string' ? value : '';
  const { data } = useQuery({
    queryKey: [...recordsKey(pageKey), 'name', pid],
    queryFn: ({ signal }) => client.page(pageKey).get(pid, { signal }),
    enabled: target !== undefined && pageKey !== '' && /^[0-9A-Z]{26}$/.test(pid),
  });
  return data && target ? textOf((data as Readonly<Record<string, unknown>>)[nameField(target)]) : undefined;
}
