import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { plural, t } from '../../app/texts.ts';
import type { Offers } from './complete-yaml.ts';
import styles from './YamlEditor.module.css';
import { tokensOf } from './yaml-tokens.ts';
import type { LineNote } from './yaml-text.ts';

interface YamlEditorProps {
  readonly label: string;
  readonly value: string;
  readonly notes: readonly LineNote[];
  /** What may stand at a place. */
  readonly complete: (text: string, offset: number) => Offers | null;
  readonly onChange: (value: string) => void;
}

interface Open extends Offers {
  readonly at: number;
  readonly line: number;
  readonly column: number;
  /** There is no room below the line. */
  readonly isAbove: boolean;
}

/** A text in YAML: coloured, with notes at their lines, and with what the schema offers (`Ctrl Space`). */
export function YamlEditor({ label, value, notes, complete, onChange }: YamlEditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [open, setOpen] = useState<Open | null>(null);
  const lines = useMemo(() => value.split('\n'), [value]);
  const byLine = useMemo(() => Map.groupBy(notes, ({ line }) => line), [notes]);

  function offer(text: string, offset: number, isAsked: boolean) {
    const found = complete(text, offset);
    const isBegun = found !== null && (found.from < offset || found.isExpected === true);
    const isWanted = found !== null && (isAsked || (isBegun && !found.isWhole));
    if (!isWanted) return setOpen(null);
    const before = text.slice(0, found.from);
    const line = before.split('\n').length - 1;
    const column = before.length - before.lastIndexOf('\n') - 1;
    setOpen({ ...found, at: 0, line, column, isAbove: isLow(area.current, line) });
  }

  function take(at: number) {
    const offered = open?.offers[at];
    const input = area.current;
    if (!open || !offered || !input) return;
    insert(input, offered.text, open.from, input.selectionStart);
    if (offered.text.endsWith(': ')) offer(input.value, input.selectionStart, true);
    else setOpen(null);
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    const { key, ctrlKey } = event;
    const input = event.currentTarget;
    if (ctrlKey && key === ' ') offer(input.value, input.selectionStart, true);
    else if (open && (key === 'ArrowDown' || key === 'ArrowUp')) {
      const step = key === 'ArrowDown' ? 1 : -1;
      setOpen({ ...open, at: (open.at + step + open.offers.length) % open.offers.length });
    } else if (open && (key === 'Enter' || key === 'Tab')) take(open.at);
    else if (open && key === 'Escape') {
      event.stopPropagation();
      setOpen(null);
    } else if (key === 'Enter' && input.selectionStart === input.selectionEnd) {
      insert(input, `\n${indentAfter(input.value, input.selectionStart)}`, input.selectionStart, input.selectionEnd);
    } else return;
    event.preventDefault();
  }

  return (
    <div className={styles.editor}>
      <div className={styles.scroll}>
        <div className={styles.sheet} style={{ '--digits': String(lines.length).length } as object}>
          <div className={styles.lines} aria-hidden="true">
            {lines.map((line, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Line key={index} number={index + 1} text={line} notes={byLine.get(index + 1)} />
            ))}
          </div>
          <textarea
            ref={area}
            className={styles.input}
            aria-label={label}
            aria-describedby={notes.length > 0 ? `${id}-notes` : undefined}
            aria-autocomplete="list"
            aria-controls={open ? `${id}-offers` : undefined}
            aria-activedescendant={open ? `${id}-${open.at}` : undefined}
            aria-invalid={notes.some(({ tone }) => tone === 'bad')}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            wrap="off"
            value={value}
            onChange={({ target }) => {
              onChange(target.value);
              offer(target.value, target.selectionStart, false);
            }}
            onKeyDown={onKeyDown}
            onBlur={() => setOpen(null)}
            onClick={() => setOpen(null)}
          />
          {open && <OfferList id={id} open={open} onTake={take} />}
        </div>
      </div>
      <div id={`${id}-notes`} className={styles.notes} aria-live="polite">
        {notes.length > 0 && (
          <>
            <p>{plural(notes.length, '{count} thing to look at', '{count} things to look at')}</p>
            <ul>
              {notes.map(({ line, text, tone }) => (
                <li key={`${line} ${text}`}>
                  <button type="button" data-tone={tone} onClick={() => goToLine(area.current, line)}>
                    <span>{t('Line {line}', { line })}</span>
                    {text}
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

interface LineProps {
  readonly number: number;
  readonly text: string;
  readonly notes: readonly LineNote[] | undefined;
}

function Line({ number, text, notes }: LineProps) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  const tone = notes && (notes.some((note) => note.tone === 'bad') ? 'bad' : 'waiting');
  return (
    <div className={styles.line} data-tone={tone}>
      <span className={styles.number}>{number}</span>
      {tokens.map(({ kind, text: part }, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} data-kind={kind}>
          {part}
        </span>
      ))}
      {notes && <span className={styles.note}>{notes.map((note) => note.text).join('; ')}</span>}
    </div>
  );
}

interface OfferListProps {
  readonly id: string;
  readonly open: Open;
  readonly onTake: (at: number) => void;
}

function OfferList({ id, open: { offers, at, line, column, isAbove }, onTake }: OfferListProps) {
  return (
    <div
      id={`${id}-offers`}
      role="listbox"
      aria-label={t('What may stand here')}
      className={styles.offers}
      data-above={isAbove || undefined}
      style={{ '--line': line, '--column': column } as object}
    >
      {offers.map(({ name, about }, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={`${name} ${index}`}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          ref={(option) => {
            if (index === at) option?.scrollIntoView({ block: 'nearest' });
          }}
          // The text keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(index)}
        >
          <span>{name}</span>
          {about !== undefined && <small>{about}</small>}
        </div>
      ))}
    </div>
  );
}

/** In pixels, as the style sheet has them. */
const LINE = 20;
const LIST = 216;

/** Whether a list below a line would be cut off, and one above it would not. */
function isLow(input: HTMLTextAreaElement | null, line: number): boolean {
  const scroll = input?.closest(`.${styles.scroll}`);
  if (!scroll) return false;
  const top = line * LINE - scroll.scrollTop;
  return top + LINE + LIST > scroll.clientHeight && top > LIST;
}

/** As if it were typed, so that the browser can take it back. */
function insert(input: HTMLTextAreaElement, text: string, from: number, to: number) {
  input.focus();
  input.setSelectionRange(from, to);
  // oxlint-disable-next-line typescript/no-deprecated
  document.execCommand('insertText', false, text);
}

/** A new line begins where the one before it began; below `key:` further in. */
function indentAfter(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const [spaces = ''] = /^\s*/.exec(line) ?? [];
  const [, dash = ''] = /^\s*(- +)/.exec(line) ?? [];
  const inside = /:\s*$/.test(line) ? '  ' : '';
  return spaces + ' '.repeat(dash.length) + inside;
}

function goToLine(input: HTMLTextAreaElement | null, line: number) {
  if (!input) return;
  const start =
    input.value
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + (line > 1 ? 1 : 0);
  const end = input.value.indexOf('\n', start);
  input.focus();
  input.setSelectionRange(start, end < 0 ? input.value.length : end);
  const sheet = input.closest(`.${styles.scroll}`);
  const height = sheet ? sheet.scrollHeight / Math.max(1, input.value.split('\n').length) : 0;
  sheet?.scrollTo({ top: Math.max(0, (line - 4) * height) });
}
