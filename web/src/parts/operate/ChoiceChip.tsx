import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuChoice } from '../../ui/MenuChoice.tsx';
import styles from './ChoiceChip.module.css';

interface ChoiceChipProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string | undefined) => void;
}

const ANY = '';

/** A filter by one of several values. */
export function ChoiceChip({ label, value, options, onChange }: ChoiceChipProps) {
  const name = options.find(([option]) => option === value)?.[1] ?? value;
  return (
    <span className={styles.chip} data-active={value !== undefined || undefined}>
      <Menu
        trigger={
          <Button className={styles.choice}>
            {name === undefined ? label : t('{label}: {value}', { label, value: name })}
            {name === undefined && <Icon name="down" />}
          </Button>
        }
      >
        <MenuChoice
          label={label}
          value={value ?? ANY}
          options={[[ANY, t('Any')], ...options]}
          onChange={(next) => onChange(next === ANY ? undefined : next)}
        />
      </Menu>
      {value !== undefined && (
        <Button
          look="plain"
          className={styles.clear}
          label={t('Remove the filter {label}', { label })}
          onClick={() => onChange(undefined)}
        >
          <Icon name="close" />
        </Button>
      )}
    </span>
  );
}
