import type { Field, RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import type { EditorProps } from '../fields/field-kind.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { isKnownLater } from './command-fields.ts';
import styles from './FieldOfCommand.module.css';
import { ItemRows } from './ItemRows.tsx';

interface FieldOfCommandProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly pageKey: string;
  readonly declaredBy: EditorProps['declaredBy'];
  readonly record: RecordData | null;
  /** By the path in the payload. */
  readonly problems: Readonly<Record<string, string | undefined>>;
}

/** One field of a command's form: a control, or the rows of a list. */
export function FieldOfCommand({ field, problems, ...props }: FieldOfCommandProps) {
  const { code, type, required, fields, default: initial } = field;
  const { Editor, isWide = false } = FIELD_KINDS[type];
  if (fields) {
    return (
      <div className={styles.wide}>
        <ItemRows {...props} field={field} fields={fields} problems={problems} />
      </div>
    );
  }
  return (
    <div className={isWide ? styles.wide : undefined}>
      <Labelled
        label={fieldName(field)}
        required={required && !(props.record === null && isKnownLater(initial))}
        problem={problems[code]}
      >
        {(ties) => <Editor {...props} field={field} ties={ties} />}
      </Labelled>
    </div>
  );
}
