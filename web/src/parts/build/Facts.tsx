import { Link } from '@tanstack/react-router';
import { t, type TextKey } from '../../app/texts.ts';
import { Labelled, type ControlTies } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import styles from './Facts.module.css';
import type { FormProps } from './form.ts';
import { below, isText, keysOf, typesOf, valuesOf, type JsonSchema } from './json-schema.ts';
import { Summary } from './Summary.tsx';
import { TypedInput } from './TypedInput.tsx';
import { editYaml, type Content, type Path } from './yaml-text.ts';

interface FactsProps extends FormProps {
  /** Keys that are shown elsewhere. */
  readonly without?: readonly string[];
  /** The map in the content whose keys these are; the content itself by default. */
  readonly of?: string;
}

/** The single values that a resource may have, as a form; what else it says, as a list. */
export function Facts(props: FactsProps) {
  const { draft, content, schema, without = [], of, onText } = props;
  const map = of === undefined ? content : mapIn(content[of]);
  const path: Path = of === undefined ? [] : [of];
  const own = of === undefined ? schema : below(schema, schema, of, content);
  const inputs = [...keysOf(own, schema, map).keys()].flatMap((key) => {
    // What its own value rules out can be chosen, too.
    const { [key]: value, ...others } = map;
    const one = keysOf(own, schema, others).get(key);
    return one && !without.includes(key) && isInput(key, one, schema, value) ? [[key, one] as const] : [];
  });
  const set = (key: string, value: unknown) => onText(editYaml(draft.text, [{ path: [...path, key], value }]));
  const rest = Object.entries(map).filter(([key]) => {
    return !without.includes(key) && inputs.every(([shown]) => shown !== key);
  });
  return (
    <div className={styles.facts}>
      <div className={styles.inputs}>
        {inputs.map(([key, one]) => (
          <Labelled key={key} label={labelOf(key)} required={own?.required?.includes(key)}>
            {(ties) => (
              <div className={styles.control}>
                <Input ties={ties} value={map[key]} schema={one} root={schema} onChange={(value) => set(key, value)} />
                <Opens name={key} value={map[key]} />
              </div>
            )}
          </Labelled>
        ))}
      </div>
      {rest.length > 0 && <Summary content={Object.fromEntries(rest)} />}
    </div>
  );
}

const mapIn = (value: unknown): Content => (typeof value === 'object' && value !== null ? (value as Content) : {});

/** One value of one line. What has more stands in the text alone. */
function isInput(key: string, schema: JsonSchema, root: JsonSchema, value: unknown): boolean {
  if (value === undefined && SELDOM.has(key)) return false;
  if (typeof value === 'object' || (typeof value === 'string' && value.includes('\n'))) return false;
  const types = typesOf(schema, root);
  return !isText(schema, root) && types.length > 0 && types.every((type) => SINGLE.has(type));
}

const SINGLE: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);
/** A new code is given in files. */
const SELDOM: ReadonlySet<string> = new Set(['renamedFrom']);

const LABELS: Readonly<Record<string, TextKey>> = {
  app: 'Application',
  assistant: 'Assistant',
  commandCode: 'Command',
  cron: 'Times (cron)',
  enabled: 'May start',
  eventType: 'Event',
  execution: 'How it is carried out',
  field: 'Field',
  filter: 'Only when',
  idempotency: 'A key that is used again',
  kind: 'Kind',
  maxTurns: 'Most uses of tools',
  method: 'Method',
  model: 'Language model',
  modelCode: 'Model',
  name: 'Name',
  provider: 'Provider',
  rowsPath: 'Where the rows are',
  runAs: 'Acts as',
  target: 'For a record that is there',
  timeZone: 'Time zone',
  timeoutMs: 'Most milliseconds',
  type: 'Kind',
  url: 'Address',
};

const labelOf = (key: string): string => (Object.hasOwn(LABELS, key) ? t(LABELS[key] as TextKey) : key);

interface InputProps {
  readonly ties: ControlTies;
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly onChange: (value: unknown) => void;
}

function Input({ ties, value, schema, root, onChange }: InputProps) {
  const shown =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  const types = typesOf(schema, root);
  const isBoolean = types.every((type) => type === 'boolean');
  const isNumber = types.every((type) => type === 'integer' || type === 'number');
  const take = (typed: string) => {
    if (typed === '') onChange(undefined);
    else if (isBoolean) onChange(typed === 'true');
    else onChange(isNumber && !Number.isNaN(Number(typed)) ? Number(typed) : typed);
  };
  const values = valuesOf(schema, root);
  if (values.length === 0) return <TypedInput {...ties} value={shown} isNumber={isNumber} onChange={take} />;
  const choices = values.includes(shown) ? values : [shown, ...values];
  const nameOf = (one: string) => (one === '' ? '\u2013' : isBoolean ? t(one === 'true' ? 'Yes' : 'No') : one);
  const options = [...new Set(ties['aria-required'] === true ? choices : ['', ...choices])];
  return <Select {...ties} value={shown} options={options.map((one) => [one, nameOf(one)])} onChoose={take} />;
}

/** What a key names, as far as it names a resource. */
const KINDS: Readonly<Record<string, string>> = {
  modelCode: 'MODEL',
  commandCode: 'COMMAND',
  assistant: 'ASSISTANT',
};

function Opens({ name, value }: { readonly name: string; readonly value: unknown }) {
  const type = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (type === undefined || typeof value !== 'string') return null;
  return (
    <Link
      to="/build/$type/$code"
      params={{ type, code: value }}
      search={{}}
      aria-label={t('Open {name}', { name: value })}
    >
      {t('Open')}
    </Link>
  );
}
