import { plural, t } from '../../app/texts.ts';
import { FailedRead } from '../notices/FailedRead.tsx';
import type { FormProps } from './form.ts';
import styles from './TextsForm.module.css';
import { TypedInput } from './TypedInput.tsx';
import { useKnown } from './use-known.ts';
import { editYaml, type Content } from './yaml-text.ts';

/** Texts of a language, with those that other languages of the application have and this one lacks. */
export function TextsForm({ draft, content, onText }: FormProps) {
  const { data: all = [], error, refetch } = useKnown('I18N');
  const { text, code } = draft;
  const messages = messagesOf(content);
  const others = all.filter((one) => one.code !== code && one.content.app === content.app);
  const elsewhere = new Map(others.flatMap((one) => [...messagesOf(one.content)]));
  const missing = [...elsewhere.keys()].filter((key) => !messages.has(key)).sort();
  const rows = [...missing, ...messages.keys()];
  return (
    <div className={styles.texts}>
      {error && <FailedRead error={error} onRetry={() => void refetch()} />}
      {missing.length > 0 && (
        <p className={styles.missing}>
          {plural(
            missing.length,
            '{count} text is missing in this language',
            '{count} texts are missing in this language',
          )}
        </p>
      )}
      <table className={styles.table} aria-label={t('Texts')}>
        <thead>
          <tr>
            <th scope="col">{t('Key')}</th>
            <th scope="col">{typeof content.locale === 'string' ? content.locale : ''}</th>
            <th scope="col">{t('In another language')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((key) => (
            <tr key={key} data-missing={!messages.has(key) || undefined}>
              <th scope="row">
                <code>{key}</code>
              </th>
              <td>
                <TypedInput
                  label={t('Text of {key}', { key })}
                  value={messages.get(key) ?? ''}
                  onChange={(typed) =>
                    onText(editYaml(text, [{ path: ['messages', key], value: typed === '' ? undefined : typed }]))
                  }
                />
              </td>
              <td className={styles.other}>{elsewhere.get(key)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function messagesOf({ messages }: Content): Map<string, string> {
  const entries = typeof messages === 'object' && messages !== null ? Object.entries(messages) : [];
  return new Map(entries.map(([key, value]: [string, unknown]) => [key, String(value)]));
}
