import { t } from '../../app/texts.ts';
import styles from './Summary.module.css';
import type { Content } from './yaml-text.ts';

/** What a content says, as a list. */
export function Summary({ content }: { readonly content: Content }) {
  return (
    <dl className={styles.summary}>
      {Object.entries(content).map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (Array.isArray(value)) return <Items items={value} />;
  if (typeof value === 'string' && value.includes('\n')) return <pre tabIndex={0}>{value}</pre>;
  if (typeof value === 'object' && value !== null) return <span className={styles.muted}>{oneLine(value)}</span>;
  return typeof value === 'boolean' ? (value ? t('Yes') : t('No')) : String(value);
}

function Items({ items }: { readonly items: readonly unknown[] }) {
  const names = items.map(nameIn);
  if (names.every((one) => one.length < 40)) return names.join(', ');
  return (
    <ul>
      {names.map((one, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>{one}</li>
      ))}
    </ul>
  );
}

const NAMES = ['name', 'title', 'code', 'fieldName', 'id', 'key'] as const;

/** By which people know an item of a list. */
export function nameIn(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const map = item as Content;
  const key = NAMES.find((one) => typeof map[one] === 'string');
  return key === undefined ? oneLine(item) : String(map[key]);
}

function oneLine(value: object): string {
  return Object.entries(value)
    .map(([key, part]: [string, unknown]) => `${key}: ${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join(', ');
}
