import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import type { Field, RecordData } from '../../app/application.ts';
import { FIELD_KINDS } from '../fields/field-kinds.ts';
import styles from './Grid.module.css';

interface CellEditorProps {
  readonly field: Field;
  readonly label: string;
  readonly record: RecordData;
  readonly pageKey: string;
  readonly onCommit: (value: unknown, step: number) => void;
  readonly onCancel: () => void;
}

/** Some editors come with the first use of them. */
const LOOKS_FOR_CONTROL = 60;

/** The editor of a cell: `Enter` and `Tab` keep what it has, `Esc` does not. */
export function CellEditor({ field, label, record, pageKey, onCommit, onCancel }: CellEditorProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [value, setValue] = useState<unknown>(record[field.code] ?? null);
  const isEnded = useRef(false);
  const { Editor, isWide = false } = FIELD_KINDS[field.type];
  useEffect(() => focusControl(() => box.current), []);
  const end = (act: () => void) => {
    if (isEnded.current) return;
    isEnded.current = true;
    act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.defaultPrevented) return;
    if (event.key === 'Escape') end(onCancel);
    else if (event.key === 'Tab') end(() => onCommit(value, event.shiftKey ? -1 : 1));
    // In several lines, Enter begins the next one.
    else if (event.key === 'Enter' && (!isWide || event.ctrlKey || event.metaKey)) end(() => onCommit(value, 0));
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      role="presentation"
      className={[styles.editor, isWide && styles.wide].filter(Boolean).join(' ')}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && box.current?.contains(relatedTarget) === true;
        // What can be chosen is drawn elsewhere.
        const isChoosing = relatedTarget instanceof Element && relatedTarget.closest('[role=listbox]') !== null;
        if (!isInside && !isChoosing && document.hasFocus()) end(() => onCommit(value, 0));
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        {label}
      </label>
      <Editor
        field={field}
        value={value}
        onChange={setValue}
        ties={{ id, 'aria-invalid': false, 'aria-describedby': undefined, 'aria-required': undefined }}
        pageKey={pageKey}
        record={record}
      />
    </div>
  );
}

function focusControl(find: () => HTMLElement | null): () => void {
  let looks = 0;
  let frame = 0;
  const look = () => {
    const control = find()?.querySelector<HTMLElement>('input:enabled, select:enabled, textarea:enabled');
    looks += 1;
    if (!control) {
      if (looks < LOOKS_FOR_CONTROL) frame = requestAnimationFrame(look);
      return;
    }
    control.focus();
    if (control instanceof HTMLInputElement && control.type === 'text') control.select();
  };
  look();
  return () => cancelAnimationFrame(frame);
}
