import { Menu as Base } from '@base-ui/react/menu';
import { Icon } from './Icon.tsx';
import styles from './Menu.module.css';

interface MenuChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, name: string])[];
  readonly onChange: (value: Value) => void;
}

/** One of several, in a menu. */
export function MenuChoice<Value extends string>({ label, value, options, onChange }: MenuChoiceProps<Value>) {
  return (
    <Base.RadioGroup aria-label={label} value={value} onValueChange={(next: Value) => onChange(next)}>
      <div className={styles.label} aria-hidden="true">
        {label}
      </div>
      {options.map(([option, name]) => (
        <Base.RadioItem key={option} className={styles.item} value={option} closeOnClick>
          {name}
          <Base.RadioItemIndicator>
            <Icon name="check" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}
