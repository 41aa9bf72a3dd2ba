import { findModel, type Application } from '../../app/application.ts';
import { plural, t } from '../../app/texts.ts';
import { Icon } from '../../ui/Icon.tsx';
import styles from './Assistant.module.css';
import type { ToolUse } from './use-reply.ts';

interface ToolUsesProps {
  readonly application: Application;
  readonly tools: readonly ToolUse[];
}

/** What the assistant has looked at: open to see with what it asked. */
export function ToolUses({ application, tools }: ToolUsesProps) {
  if (tools.length === 0) return null;
  return (
    <ul className={styles.tools}>
      {tools.map((tool) => (
        <li key={tool.callId}>
          {tool.arguments === undefined ? (
            <span className={styles.tool}>{nameOf(application, tool)}</span>
          ) : (
            <details>
              <summary className={styles.tool}>
                <Icon name={tool.ok ? 'check' : 'warning'} />
                {nameOf(application, tool)}
              </summary>
              <pre>{JSON.stringify(tool.arguments, null, 2)}</pre>
              {tool.message !== undefined && <p>{tool.message}</p>}
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

function nameOf(application: Application, { name, arguments: given, total }: ToolUse): string {
  const { model: code } = (given ?? {}) as { readonly model?: string };
  const model = code === undefined ? '' : (findModel(application, code)?.name ?? code);
  const found = total === undefined ? '' : ` · ${plural(total, '{count} record', '{count} records')}`;
  const names: Readonly<Record<string, string>> = {
    list_records: t('Looked for records'),
    read_record: t('Read a record'),
    describe_model: t('Looked at a model'),
    run_command: t('Executed a command'),
  };
  return `${names[name] ?? name}${model === '' ? '' : `: ${model}`}${found}`;
}
