import { useState } from 'react';
import type { Api } from '../../app/api.d.ts';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StatusMark, type Tone } from '../../ui/StatusMark.tsx';
import styles from './parts.module.css';
import type { Content } from './yaml-text.ts';

type Tried = Api['POST /api/meta/commands/examples/{commandCode}']['data'];
type Example = Tried['examples'][number];

interface ExamplesProps {
  readonly code: string;
  /** As it is in the editor, saved or not. */
  readonly content: Content;
  readonly count: number;
}

const TONES: Readonly<Record<Example['status'], Tone>> = { PASSED: 'good', FAILED: 'bad', SKIPPED: 'quiet' };

/** The examples of a command, tried in their place. Nothing stays of it. */
export function Examples({ code, content, count }: ExamplesProps) {
  const [tried, setTried] = useState<Tried | null>(null);
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isTrying, setTrying] = useState(false);
  if (count === 0)
    return <p className={styles.muted}>{t('It has none: an example says what it does, and tests it.')}</p>;

  async function run() {
    setTrying(true);
    setProblem(null);
    try {
      const params = { commandCode: code };
      setTried(
        await ask('POST /api/meta/commands/examples/{commandCode}', { params, body: { content: { ...content } } }),
      );
    } catch (error) {
      setTried(null);
      setProblem(shown(error));
    }
    setTrying(false);
  }

  const words = { PASSED: t('holds'), FAILED: t('fails'), SKIPPED: t('left out') };
  return (
    <>
      <div className={styles.row}>
        <Button disabled={isTrying} onClick={() => void run()}>
          {plural(count, 'Try {count} example', 'Try {count} examples')}
        </Button>
        {tried && (
          <span role="status">
            <StatusMark tone={tried.failed > 0 ? 'bad' : 'good'}>
              {tried.failed > 0
                ? plural(tried.failed, '{count} fails', '{count} fail')
                : plural(tried.passed, '{count} holds', '{count} hold')}
            </StatusMark>
          </span>
        )}
      </div>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      {tried && (
        <ul className={styles.list} aria-label={t('Examples')}>
          {tried.examples.map(({ name, status, error, differences }) => (
            <li key={name}>
              <div className={styles.line}>
                {name}
                <StatusMark tone={TONES[status]}>{words[status]}</StatusMark>
              </div>
              {status === 'FAILED' && error && (
                <code>
                  {error.code}: {error.message}
                </code>
              )}
              {differences.map(({ path, expected, actual }) => (
                <code key={path}>
                  {t('{path}: {actual} instead of {expected}', {
                    path,
                    actual: JSON.stringify(actual) ?? t('nothing'),
                    expected: JSON.stringify(expected),
                  })}
                </code>
              ))}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
