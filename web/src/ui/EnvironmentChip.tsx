import styles from './EnvironmentChip.module.css';

const KNOWN = new Set(['dev', 'staging', 'prod']);

/** The variable with an environment's colour. */
export function environmentColour(environment: string): string {
  return `var(--environment-${KNOWN.has(environment) ? environment : 'other'})`;
}

/** Which environment this is: never colour alone. */
export function EnvironmentChip({ environment }: { readonly environment: string }) {
  return (
    <span className={styles.chip}>
      <span className={styles.dot} style={{ background: environmentColour(environment) }} aria-hidden="true" />
      {environment}
    </span>
  );
}
