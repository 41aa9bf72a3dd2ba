import { Link } from '@tanstack/react-router';
import type { Application } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import styles from './Navigation.module.css';

interface NavigationProps {
  readonly application: Application;
  readonly onGo?: () => void;
}

/** The pages that the caller may use. */
export function Navigation({ application, onGo }: NavigationProps) {
  return (
    <nav aria-label={t('Pages')}>
      <h2 className={styles.heading}>{t('Pages')}</h2>
      <ul>
        {application.pages.map(({ pageKey, name }) => (
          <li key={pageKey}>
            <Link
              to="/pages/$pageKey"
              params={{ pageKey }}
              className={styles.link}
              title={name}
              {...(onGo && { onClick: onGo })}
            >
              <span className={styles.letter} aria-hidden="true">
                {[...name][0]}
              </span>
              <span className={styles.name}>{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
