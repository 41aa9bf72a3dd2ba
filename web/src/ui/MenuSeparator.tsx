import { Menu as Base } from '@base-ui/react/menu';
import styles from './Menu.module.css';

export function MenuSeparator() {
  return <Base.Separator className={styles.separator} />;
}
