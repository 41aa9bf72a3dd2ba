import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Application, Me } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { waitingQuery } from '../../parts/approvals/approvals-query.ts';
import { Icon } from '../../ui/Icon.tsx';
import styles from './Navigation.module.css';
import { sectionsFor } from './sections.ts';

interface NavigationProps {
  readonly application: Application;
  readonly me: Me;
  readonly onGo?: () => void;
}

/** Where the caller may go: pages, figures, their own work, the sections of those who look after it. */
export function Navigation({ application: { pages, dashboards }, me, onGo }: NavigationProps) {
  const { data: waiting } = useQuery(waitingQuery(me));
  const go = { className: styles.link, ...(onGo && { onClick: onGo }) };
  return (
    <nav aria-label={t('Navigation')}>
      <Part title={t('Pages')} isShown={pages.length > 0}>
        {pages.map(({ pageKey, name }) => (
          <li key={pageKey}>
            <Link to="/pages/$pageKey" params={{ pageKey }} title={name} {...go}>
              <Name name={name} />
            </Link>
          </li>
        ))}
      </Part>
      <Part title={t('Figures')} isShown={dashboards.length > 0}>
        {dashboards.map(({ code, name }) => (
          <li key={code}>
            <Link to="/dashboards/$code" params={{ code }} title={name} {...go}>
              <Name name={name} />
            </Link>
          </li>
        ))}
      </Part>
      <Part title={t('You')} isShown>
        <li>
          <Link to="/work" title={t('My work')} {...go}>
            <span className={styles.letter} aria-hidden="true">
              <Icon name="check" />
            </span>
            <span className={styles.name}>{t('My work')}</span>
            {waiting !== undefined && waiting.total > 0 && (
              <span className={styles.count} title={t('Waiting for me')}>
                {waiting.total}
              </span>
            )}
          </Link>
        </li>
      </Part>
      {sectionsFor(me).map(({ title, entries }) => (
        <Part key={title} title={t(title)} isShown>
          {entries.map(({ path, label, icon }) => (
            <li key={path}>
              <Link to={path} title={t(label)} {...go}>
                <span className={styles.letter} aria-hidden="true">
                  <Icon name={icon} />
                </span>
                <span className={styles.name}>{t(label)}</span>
              </Link>
            </li>
          ))}
        </Part>
      ))}
    </nav>
  );
}

interface PartProps {
  readonly title: string;
  readonly isShown: boolean;
  readonly children: ReactNode;
}

function Part({ title, isShown, children }: PartProps) {
  if (!isShown) return null;
  return (
    <>
      <h2 className={styles.heading}>{title}</h2>
      <ul>{children}</ul>
    </>
  );
}

function Name({ name }: { readonly name: string }) {
  return (
    <>
      <span className={styles.letter} aria-hidden="true">
        {[...name][0]}
      </span>
      <span className={styles.name}>{name}</span>
    </>
  );
}
