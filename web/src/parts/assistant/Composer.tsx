import { useEffect, useRef, useState, type KeyboardEvent, type SubmitEvent } from 'react';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import styles from './Assistant.module.css';

interface ComposerProps {
  /** An answer is being made: it has one at a time. */
  readonly isWaiting: boolean;
  /** @returns whether it was taken: what was not stays */
  readonly onSend: (message: string) => Promise<boolean>;
  readonly onStop: (() => void) | undefined;
}

/** What is said next. `Enter` sends it, with `Shift` it begins a line. */
export function Composer({ isWaiting, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);

  async function send() {
    const message = text.trim();
    if (message === '' || isWaiting) return;
    setText('');
    if (!(await onSend(message))) setText(message);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  }

  return (
    <form
      className={styles.composer}
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextArea
        ref={box}
        aria-label={t('Ask the assistant')}
        placeholder={t('Ask the assistant')}
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      {onStop ? (
        <Button onClick={onStop}>{t('Stop')}</Button>
      ) : (
        <Button type="submit" look="primary" disabled={isWaiting || text.trim() === ''}>
          {t('Send')}
        </Button>
      )}
    </form>
  );
}
