import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../../app/permissions.ts';
import { meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { FailedRead } from '../notices/FailedRead.tsx';
import type { FormProps } from './form.ts';
import { fieldsOf } from './model-content.ts';
import { grantedBy } from './role-codes.ts';
import styles from './RoleForm.module.css';
import { TypedInput } from './TypedInput.tsx';
import { useKnown, type Known } from './use-known.ts';
import { WhyDialog } from './WhyDialog.tsx';
import { editYaml } from './yaml-text.ts';

/** What a role allows: model by model and field by field, and what else may be executed or read. */
export function RoleForm({ draft, content, onText }: FormProps) {
  const models = useKnown('MODEL');
  const commands = useKnown('COMMAND');
  const others = OTHERS.map(([type, prefix]) => ({ type, prefix }));
  const [isAll, setAll] = useState(true);
  const [isAsking, setAsking] = useState(false);
  const { data: me } = useSuspenseQuery(meQuery);
  const { text } = draft;
  const codes = Array.isArray(content.codes) ? content.codes.filter((one) => typeof one === 'string') : [];
  const right: Right = {
    by: (code) => grantedBy(codes, code),
    set: (code, isOn) => {
      const at = codes.indexOf(code);
      if (isOn) onText(editYaml(text, [{ path: ['codes', codes.length], value: code }]));
      else if (at >= 0) onText(editYaml(text, [{ path: ['codes', at], value: undefined }]));
    },
  };
  const failed = models.error ?? commands.error;
  if (failed) {
    return <FailedRead error={failed} onRetry={() => void Promise.all([models.refetch(), commands.refetch()])} />;
  }
  if (!models.data || !commands.data) return <Skeleton width={60} />;
  const byModel = Map.groupBy(commands.data, ({ content: { modelCode } }) => modelCode);
  const shown = models.data.filter(
    ({ code }) => isAll || rightsOf(code, byModel.get(code) ?? []).some((one) => right.by(one) !== null),
  );
  return (
    <div className={styles.role}>
      <div className={styles.head}>
        <div className={styles.name}>
          <Labelled label={t('Name')}>
            {(ties) => (
              <TypedInput
                {...ties}
                value={typeof content.name === 'string' ? content.name : ''}
                onChange={(typed) => onText(editYaml(text, [{ path: ['name'], value: typed }]))}
              />
            )}
          </Labelled>
        </div>
        <label>
          <input type="checkbox" checked={!isAll} onChange={({ target }) => setAll(!target.checked)} />
          {t('Only what it allows')}
        </label>
        {may(me, 'user:manage') && <Button onClick={() => setAsking(true)}>{t('Explain a right')}</Button>}
      </div>
      <table className={styles.table} aria-label={t('What it allows')}>
        <thead>
          <tr>
            <th scope="col">{t('Model')}</th>
            <th scope="col">{t('Read')}</th>
            <th scope="col">{t('Write')}</th>
            <th scope="col">{t('Restore')}</th>
            <th scope="col">{t('Purge')}</th>
          </tr>
        </thead>
        {shown.map((model) => (
          <ModelRights key={model.code} model={model} commands={byModel.get(model.code) ?? []} right={right} />
        ))}
      </table>
      {isAsking && (
        <WhyDialog
          permissions={models.data.flatMap(({ code }) => rightsOf(code, byModel.get(code) ?? []))}
          onClose={() => setAsking(false)}
        />
      )}
      {others.map(({ type, prefix }) => (
        <Others key={type} type={type} prefix={prefix} right={right} isAll={isAll} />
      ))}
    </div>
  );
}

interface Right {
  /** The code that grants it; null: nothing does. */
  readonly by: (code: string) => string | null;
  readonly set: (code: string, isOn: boolean) => void;
}

const OTHERS = [
  ['DATASOURCE', 'datasource:read:'],
  ['AUTOMATION', 'automation:run:'],
  ['DASHBOARD', 'dashboard:read:'],
  ['ASSISTANT', 'assistant:use:'],
] as const;
const TITLES = {
  DATASOURCE: 'Data sources it may read',
  AUTOMATION: 'Automations it may run',
  DASHBOARD: 'Dashboards it may read',
  ASSISTANT: 'Assistants it may use',
} as const;
const ON_RECORDS = ['read', 'write', 'restore', 'purge'] as const;
const RIGHT_NAMES = { read: 'Read', write: 'Write', restore: 'Restore', purge: 'Purge' } as const;

function rightsOf(model: string, commands: readonly Known[]): string[] {
  return [
    ...ON_RECORDS.map((right) => `record:${right}:${model}`),
    ...commands.map(({ code }) => `command:execute:${code}`),
  ];
}

interface ModelRightsProps {
  readonly model: Known;
  readonly commands: readonly Known[];
  readonly right: Right;
}

function ModelRights({ model: { code, content }, commands, right }: ModelRightsProps) {
  const guarded = fieldsOf(content).filter(({ readPermission, writePermission }) => readPermission || writePermission);
  const name = typeof content.name === 'string' ? content.name : code;
  return (
    <tbody>
      <tr>
        <th scope="row">
          {name} {name !== code && <code>{code}</code>}
        </th>
        {ON_RECORDS.map((one) => (
          <td key={one}>
            <Box label={`${t(RIGHT_NAMES[one])}: ${name}`} code={`record:${one}:${code}`} right={right} isBare />
          </td>
        ))}
      </tr>
      {guarded.map((field) => (
        <tr key={field.code} className={styles.field}>
          <th scope="row">
            {field.name} <code>{field.code}</code>
          </th>
          <td>
            {field.readPermission && (
              <Guard
                word={t('hidden')}
                code={`field:read:${code}.${field.code}`}
                name={field.name ?? ''}
                right={right}
              />
            )}
          </td>
          <td colSpan={3}>
            {field.writePermission && (
              <Guard
                word={t('read only')}
                code={`field:write:${code}.${field.code}`}
                name={field.name ?? ''}
                right={right}
              />
            )}
          </td>
        </tr>
      ))}
      {commands.length > 0 && (
        <tr className={styles.commands}>
          <td colSpan={5}>
            {commands.map((command) => (
              <Box
                key={command.code}
                label={typeof command.content.name === 'string' ? command.content.name : command.code}
                code={`command:execute:${command.code}`}
                right={right}
              />
            ))}
          </td>
        </tr>
      )}
    </tbody>
  );
}

interface BoxProps {
  readonly label: string;
  readonly code: string;
  readonly right: Right;
  /** The head of its column says it. */
  readonly isBare?: boolean;
}

/** A right, to be given or taken; one that a wider code grants is taken there. */
function Box({ label, code, right, isBare = false }: BoxProps) {
  const by = right.by(code);
  const isWider = by !== null && by !== code;
  return (
    <label className={styles.box} title={isWider ? t('by {code}', { code: by }) : code}>
      <input
        type="checkbox"
        aria-label={isBare ? label : undefined}
        checked={by !== null}
        disabled={isWider}
        onChange={({ target }) => right.set(code, target.checked)}
      />
      {!isBare && label}
    </label>
  );
}

/** Of a field with a right of its own: what it is without. */
function Guard({
  word,
  code,
  name,
  right,
}: { readonly word: string; readonly name: string } & Omit<BoxProps, 'label'>) {
  return (
    <span className={styles.guard}>
      <Box label={`${code} (${name})`} code={code} right={right} isBare />
      {right.by(code) === null && <span>{word}</span>}
    </span>
  );
}

interface OthersProps {
  readonly type: (typeof OTHERS)[number][0];
  readonly prefix: string;
  readonly right: Right;
  readonly isAll: boolean;
}

function Others({ type, prefix, right, isAll }: OthersProps) {
  const { data = [] } = useKnown(type);
  const shown = data.filter(({ code }) => isAll || right.by(prefix + code) !== null);
  if (shown.length === 0) return null;
  return (
    <fieldset className={styles.others}>
      <legend>{t(TITLES[type])}</legend>
      {shown.map(({ code, content: { name } }) => (
        <Box key={code} label={typeof name === 'string' ? name : code} code={prefix + code} right={right} />
      ))}
    </fieldset>
  );
}
