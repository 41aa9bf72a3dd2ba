import type { Condition } from '@keelson/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { findField, findModel, nameField, type Model } from '../../app/application.ts';
import { client } from '../../app/client.ts';
import { applicationQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { textOf } from '../fields/field-kind.ts';
import { recordsKey } from '../records/record-list.ts';
import styles from './Filters.module.css';
import { comparisonsIn, conditionText, type NameOf } from './operators.ts';

interface FilterChipProps {
  readonly model: Model;
  readonly condition: Condition;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** A condition that a list is narrowed by. */
export function FilterChip({ model, condition, onEdit, onRemove }: FilterChipProps) {
  const text = conditionText(condition, model, useRelatedNames(model, condition));
  return (
    <span className={styles.chip}>
      <button type="button" className={styles.text} title={text} onClick={onEdit}>
        {text}
      </button>
      <Button look="plain" label={t('Remove the filter {text}', { text })} onClick={onRemove}>
        <Icon name="close" />
      </Button>
    </span>
  );
}

/** What the records are called that conditions name by their pids. */
function useRelatedNames(model: Model, condition: Condition): NameOf {
  const { data: application } = useQuery(applicationQuery);
  const wanted = comparisonsIn(condition).flatMap(({ fieldName, value }) => {
    const code = findField(model, fieldName)?.target;
    const target = code === undefined ? undefined : application && findModel(application, code);
    const pageKey = application?.pages.find(({ modelCode }) => modelCode === code)?.pageKey;
    if (!target || pageKey === undefined) return [];
    const pids = (Array.isArray(value) ? value : [value]).filter((pid) => /^[0-9A-Z]{26}$/.test(String(pid)));
    return pids.map((pid) => ({ fieldName, pid: String(pid), target, pageKey }));
  });
  const names = useQueries({
    queries: wanted.map(({ pageKey, pid }) => ({
      queryKey: [...recordsKey(pageKey), 'name', pid],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.page(pageKey).get(pid, { signal }),
    })),
  });
  return (fieldName, value) => {
    const index = wanted.findIndex((one) => one.fieldName === fieldName && one.pid === value);
    const record = names[index]?.data as Readonly<Record<string, unknown>> | undefined;
    const { target } = wanted[index] ?? {};
    return record && target ? textOf(record[nameField(target)]) : undefined;
  };
}
