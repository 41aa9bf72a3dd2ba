import type { ComponentProps, ReactNode } from 'react';
import styles from './Button.module.css';

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'primary' | 'danger' | 'plain' | undefined;
  readonly size?: 'large' | undefined;
  /** Only an icon: `label` is its name and its tooltip. */
  readonly label?: string | undefined;
  readonly children: ReactNode;
}

/** A button. Its words begin with a verb. */
export function Button({ look, size, label, className, children, ...rest }: ButtonProps) {
  const classes = [
    styles.button,
    look && styles[look],
    size && styles[size],
    label !== undefined && styles.icon,
    className,
  ];
  return (
    <button
      type="button"
      {...(label !== undefined && { 'aria-label': label, title: label })}
      {...rest}
      className={classes.filter(Boolean).join(' ')}
    >
      {children}
    </button>
  );
}
