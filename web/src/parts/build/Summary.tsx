import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import type { FormProps } from './form.ts';
import styles from './Summary.module.css';
import type { Content } from './yaml-text.ts';

/** A content as a list of what it says: for types without a form. */
export function Summary({ content }: FormProps) {
  const { name, description, ...rest } = content;
  return (
    <div className={styles.summary}>
      {typeof name === 'string' && <h2>{name}</h2>}
      {typeof description === 'string' && <p>{description}</p>}
      <dl>
        {Object.entries(rest).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              <Value name={key} value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface ValueProps {
  readonly name: string;
  readonly value: unknown;
}

/** What a key names, as far as it names a resource. */
const KINDS: Readonly<Record<string, string>> = {
  modelCode: 'MODEL',
  target: 'MODEL',
  page: 'PAGE_SCHEMA',
  pageKey: 'PAGE_SCHEMA',
  commandCode: 'COMMAND',
};

function Value({ name, value }: ValueProps) {
  const type = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (typeof value === 'string' && type !== undefined) {
    return (
      <Link to="/build/$type/$code" params={{ type, code: value }} search={{}}>
        {value}
      </Link>
    );
  }
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
