import type { Condition } from '@keelson/client';
import { useState } from 'react';
import type { Model, Page } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Select } from '../../ui/Select.tsx';
import { ConditionFields } from './ConditionFields.tsx';
import { conditionsOf, draftOf, newComparison, newGroup, type Draft, type GroupDraft } from './drafts.ts';
import styles from './FilterBuilder.module.css';

interface FilterBuilderProps {
  readonly page: Page;
  readonly model: Model;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
  readonly onClose: () => void;
}

/** Deeper groups are too hard to read. */
const MAX_DEPTH = 3;

/** All conditions of a list, in groups of which all, any or none hold. */
export default function FilterBuilder({ page, model, conditions, onChange, onClose }: FilterBuilderProps) {
  const [draft, setDraft] = useState(() => {
    const root = draftOf(conditions);
    return root.items.length > 0 ? root : newGroup([newComparison(page, model)], 'and');
  });
  return (
    <Dialog
      title={t('Filters')}
      size="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            look="primary"
            onClick={() => {
              onChange(conditionsOf(draft));
              onClose();
            }}
          >
            {t('Apply the filters')}
          </Button>
        </>
      }
    >
      <Group page={page} model={model} group={draft} depth={1} onChange={setDraft} />
    </Dialog>
  );
}

interface GroupProps {
  readonly page: Page;
  readonly model: Model;
  readonly group: GroupDraft;
  readonly depth: number;
  readonly onChange: (group: GroupDraft) => void;
  readonly onRemove?: () => void;
}

function Group({ page, model, group, depth, onChange, onRemove }: GroupProps) {
  const { items, join } = group;
  const add = (item: Draft) => onChange({ ...group, items: [...items, item] });
  const put = (next: Draft) => onChange({ ...group, items: items.map((item) => (item.id === next.id ? next : item)) });
  const remove = ({ id }: Draft) => onChange({ ...group, items: items.filter((item) => item.id !== id) });
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">{t('Group of conditions')}</legend>
      <div className={styles.head}>
        <Select
          aria-label={t('Which of them hold')}
          value={join}
          options={[
            ['and', t('All of these hold')],
            ['or', t('Any of these holds')],
            ['not', t('None of these holds')],
          ]}
          onChoose={(next) => onChange({ ...group, join: next as GroupDraft['join'] })}
        />
        {onRemove && (
          <Button look="plain" label={t('Remove the group')} onClick={onRemove}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      {items.map((item) =>
        'join' in item ? (
          <Group
            key={item.id}
            page={page}
            model={model}
            group={item}
            depth={depth + 1}
            onChange={put}
            onRemove={() => remove(item)}
          />
        ) : (
          <div key={item.id} className={styles.condition}>
            <ConditionFields page={page} model={model} draft={item} onChange={put} />
            <Button look="plain" label={t('Remove the condition')} onClick={() => remove(item)}>
              <Icon name="close" />
            </Button>
          </div>
        ),
      )}
      <div className={styles.add}>
        <Button look="plain" onClick={() => add(newComparison(page, model))}>
          <Icon name="add" />
          {t('Condition')}
        </Button>
        {depth < MAX_DEPTH && (
          <Button look="plain" onClick={() => add(newGroup([newComparison(page, model)]))}>
            <Icon name="add" />
            {t('Group')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
