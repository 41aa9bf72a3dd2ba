import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import type { Field, RecordData } from '../../app/application.ts';
import { focusControl } from '../../ui/focus-control.ts';
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

/** The editor of a cell: `Enter` and `Tab` keep what it has, `Esc` does not. */
export function CellEditor({ field, label, record, pageKey, onCommit, onCancel }: CellEditorProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [value, setValue] = useState<unknown>(record[field.code] ?? null);
  const isEnded = useRef(false);
  const { Editor, isWide = false } = FIELD_KINDS[field.type];
  useEffect(() => focusControl(() => box.current, true), []);
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
