import { useId, type ReactNode } from 'react';
import type { Field } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { Select } from '../../ui/Select.tsx';
import styles from './ShapeTools.module.css';

interface ShapeToolsProps {
  /** What the choice is of. */
  readonly label: string;
  readonly fields: readonly Field[];
  readonly field: Field;
  readonly onField: (code: string) => void;
  readonly children?: ReactNode;
}

/** The line above a shape: the field that it is made by, and what else it takes. */
export function ShapeTools({ label, fields, field, onField, children }: ShapeToolsProps) {
  const id = useId();
  return (
    <div className={styles.tools}>
      {fields.length > 1 ? (
        <span className={styles.field}>
          <label htmlFor={id}>{label}</label>
          <Select
            id={id}
            value={field.code}
            options={fields.map((one) => [one.code, fieldName(one)] as const)}
            onChoose={onField}
          />
        </span>
      ) : (
        <span className={styles.field}>{`${label} ${fieldName(field)}`}</span>
      )}
      {children}
    </div>
  );
}
