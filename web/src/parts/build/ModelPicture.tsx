import { Link } from '@tanstack/react-router';
import { t } from '../../app/texts.ts';
import { fieldsOf } from './model-content.ts';
import styles from './ModelPicture.module.css';
import type { Known } from './use-known.ts';
import type { Content } from './yaml-text.ts';

interface ModelPictureProps {
  readonly code: string;
  readonly content: Content;
  readonly models: readonly Known[];
}

interface Tie {
  readonly model: string;
  /** By which field. */
  readonly field: string;
}

/** What a model refers to, and what refers to it. */
export function ModelPicture({ code, content, models }: ModelPictureProps) {
  const out = tiesOf(content);
  const into = models
    .filter((model) => model.code !== code)
    .flatMap((model) =>
      tiesOf(model.content)
        .filter((tie) => tie.model === code)
        .map(({ field }): Tie => ({ model: model.code, field })),
    );
  const name = typeof content.name === 'string' ? content.name : code;
  return (
    <section className={styles.picture} aria-label={t('Relations')}>
      <h2>{t('Relations')}</h2>
      {out.length + into.length === 0 ? (
        <p className={styles.none}>{t('It has no relation to another model.')}</p>
      ) : (
        <div className={styles.columns}>
          <Side label={t('What refers to it')} ties={into} side="in" />
          <div className={styles.self}>
            <strong>{name}</strong>
            <code>{code}</code>
          </div>
          <Side label={t('What it refers to')} ties={out} side="out" />
        </div>
      )}
    </section>
  );
}

interface SideProps {
  readonly label: string;
  readonly ties: readonly Tie[];
  readonly side: 'in' | 'out';
}

function Side({ label, ties, side }: SideProps) {
  return (
    <ul className={styles.side} data-side={side} data-empty={ties.length === 0 || undefined} aria-label={label}>
      {ties.map(({ model, field }) => (
        <li key={`${model} ${field}`}>
          <Link to="/build/$type/$code" params={{ type: 'MODEL', code: model }} search={{}}>
            {model}
          </Link>
          <span>{field}</span>
        </li>
      ))}
    </ul>
  );
}

function tiesOf(content: Content): Tie[] {
  return fieldsOf(content).flatMap(({ code = '', type, target }) =>
    type === 'relation' && target !== undefined ? [{ model: target, field: code }] : [],
  );
}
