import { useState } from 'react';
import type { Field, Model, Page, RecordData } from '../../app/application.ts';
import { fieldName } from '../../app/field-names.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { commandFields } from '../commands/command-fields.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import { FailedRead } from '../notices/FailedRead.tsx';
import styles from './BulkDialog.module.css';
import { BulkRun } from './BulkRun.tsx';
import type { BulkCommand } from './run-batch.ts';
import { useFreshRecords } from './use-fresh-records.ts';

interface BulkDialogProps {
  readonly page: Page;
  readonly model: Model;
  readonly bulk: BulkCommand;
  /** As they were selected. */
  readonly records: readonly RecordData[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

type Values = Readonly<Record<string, unknown>>;

/** A command for many records: first what it is to do, then what that would change. */
export default function BulkDialog({ page, model, bulk, records, onDone, onClose }: BulkDialogProps) {
  const fields = commandFields(bulk.command, model, page).filter(({ type }) => type !== 'file');
  const isUpdate = bulk.operation === 'UPDATE';
  const [values, setValues] = useState<Values>({});
  const [isReady, setReady] = useState(fields.length === 0);
  const { fresh, isReading, error, retry } = useFreshRecords(page, model, records, isReady);
  return (
    <Dialog
      title={`${bulk.command.name}: ${plural(records.length, '{count} record', '{count} records')}`}
      size="wide"
      onClose={onClose}
    >
      {!isReady ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setReady(true);
          }}
        >
          {isUpdate ? (
            <ChosenFields page={page} fields={fields} values={values} onChange={setValues} />
          ) : (
            <div className={styles.fields}>
              {fields.map((field) => (
                <ValueOf key={field.code} page={page} field={field} values={values} onChange={setValues} />
              ))}
            </div>
          )}
          <div className={styles.actions}>
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button type="submit" look="primary" disabled={isUpdate && Object.keys(values).length === 0}>
              {t('Show what changes')}
            </Button>
          </div>
        </form>
      ) : error ? (
        <FailedRead error={error} onRetry={retry} />
      ) : (
        !isReading && (
          <BulkRun
            page={page}
            model={model}
            bulk={bulk}
            items={fresh.map((record) => ({ record, payload: values }))}
            onBack={fields.length > 0 ? () => setReady(false) : undefined}
            onDone={onDone}
          />
        )
      )}
    </Dialog>
  );
}

interface ChosenFieldsProps {
  readonly page: Page;
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

/** Only the fields that are chosen are changed. */
function ChosenFields({ page, fields, values, onChange }: ChosenFieldsProps) {
  const [codes, setCodes] = useState<readonly string[]>(() => {
    const given = Object.keys(values);
    return given.length > 0 ? given : fields.slice(0, 1).map(({ code }) => code);
  });
  const free = fields.filter(({ code }) => !codes.includes(code));
  const drop = (code: string) => {
    setCodes(codes.filter((one) => one !== code));
    onChange(Object.fromEntries(Object.entries(values).filter(([one]) => one !== code)));
  };
  return (
    <div className={styles.chosen}>
      {codes.map((code, index) => {
        const field = fields.find((one) => one.code === code);
        if (!field) return null;
        return (
          <div key={code} className={styles.choice}>
            <Labelled label={t('Field')}>
              {(ties) => (
                <Select
                  {...ties}
                  value={code}
                  options={[field, ...free].map((one) => [one.code, fieldName(one)] as const)}
                  onChoose={(next) => {
                    drop(code);
                    setCodes(codes.map((one, at) => (at === index ? next : one)));
                  }}
                />
              )}
            </Labelled>
            <ValueOf page={page} field={field} values={values} onChange={onChange} label={t('Value')} />
            {codes.length > 1 && (
              <Button look="plain" label={t('Remove the field')} onClick={() => drop(code)}>
                <Icon name="close" />
              </Button>
            )}
          </div>
        );
      })}
      {free[0] && (
        <Button look="plain" className={styles.add} onClick={() => setCodes([...codes, free[0]?.code ?? ''])}>
          <Icon name="add" />
          {t('Another field')}
        </Button>
      )}
    </div>
  );
}

interface ValueOfProps {
  readonly page: Page;
  readonly field: Field;
  readonly values: Values;
  readonly label?: string;
  readonly onChange: (values: Values) => void;
}

function ValueOf({ page, field, values, label, onChange }: ValueOfProps) {
  const { Editor } = FIELD_KINDS[field.type];
  return (
    <Labelled label={label ?? fieldName(field)} required={field.required}>
      {(ties) => (
        <Editor
          field={field}
          value={values[field.code] ?? null}
          onChange={(value) => onChange({ ...values, [field.code]: value })}
          ties={ties}
          pageKey={page.pageKey}
          record={null}
        />
      )}
    </Labelled>
  );
}
