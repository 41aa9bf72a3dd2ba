import styles from './KeyMap.module.css';

interface KeyMapProps {
  readonly keys: readonly (readonly [action: string, ...keys: string[]])[];
}

/** What the keys of a screen do. */
export function KeyMap({ keys }: KeyMapProps) {
  return (
    <dl className={styles.keys}>
      {keys.map(([action, ...names]) => (
        <div key={action}>
          <dt>{action}</dt>
          <dd>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
