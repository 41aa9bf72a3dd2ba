import styles from './Skeleton.module.css';

/** The shape of a text that is still to come. `width` in percent. */
export function Skeleton({ width }: { readonly width: number }) {
  return <span className={styles.bar} style={{ width: `${width}%` }} aria-hidden="true" />;
}
