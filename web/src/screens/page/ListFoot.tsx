import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import styles from './PageScreen.module.css';

interface ListFootProps {
  readonly total: number | null;
  readonly selected: number;
  readonly onClear: () => void;
  /** Undefined: the caller may not. */
  readonly onDelete: (() => void) | undefined;
}

/** How many there are, and what can be done with those that are selected. */
export function ListFoot({ total, selected, onClear, onDelete }: ListFootProps) {
  return (
    <footer className={styles.foot}>
      <span role="status">
        {selected > 0
          ? plural(selected, '{count} record selected', '{count} records selected')
          : total !== null && plural(total, '{count} record', '{count} records')}
      </span>
      {selected > 0 && (
        <>
          <Button look="plain" onClick={onClear}>
            {t('Clear the selection')}
          </Button>
          {onDelete && (
            <Button onClick={onDelete}>{plural(selected, 'Delete {count} record', 'Delete {count} records')}</Button>
          )}
        </>
      )}
    </footer>
  );
}
