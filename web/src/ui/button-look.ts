import styles from './Button.module.css';

/**
 * The class of a link that looks like a button. `composes` would load the styles again, after those that
 * change them.
 */
export const BUTTON_LOOK = styles.button;
