import { useEffect, useState, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../../app/texts.ts';
import { Icon } from '../../ui/Icon.tsx';
import styles from './Grid.module.css';

interface CellPencilProps {
  /** Within which cells are pointed at. */
  readonly body: RefObject<HTMLElement | null>;
  /** Whether the cell can be changed in its place. */
  readonly isFor: (row: number, column: number) => boolean;
  readonly onEdit: (row: number, column: number) => void;
}

interface Pointed {
  readonly cell: HTMLElement;
  readonly row: number;
  readonly column: number;
}

/** Opens the editor of the cell under the mouse, as `e` does for the keyboard. */
export function CellPencil({ body, isFor, onEdit }: CellPencilProps) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  useEffect(() => {
    const rows = body.current;
    const over = ({ target, pointerType }: PointerEvent) => {
      if (pointerType === 'mouse') setPointed((before) => pointedAt(target, before));
    };
    const leave = () => setPointed(null);
    rows?.addEventListener('pointerover', over);
    rows?.addEventListener('pointerleave', leave);
    return () => {
      rows?.removeEventListener('pointerover', over);
      rows?.removeEventListener('pointerleave', leave);
    };
  }, [body]);
  if (!pointed?.cell.isConnected || !isFor(pointed.row, pointed.column)) return null;
  return createPortal(
    <button
      type="button"
      tabIndex={-1}
      aria-hidden="true"
      className={styles.pencil}
      title={`${t('Edit the cell')} (e)`}
      onClick={(event) => {
        event.stopPropagation();
        onEdit(pointed.row, pointed.column);
      }}
    >
      <Icon name="edit" />
    </button>,
    pointed.cell,
  );
}

/** The same object while it is the same cell. */
function pointedAt(target: EventTarget | null, before: Pointed | null): Pointed | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[role=gridcell]') : null;
  if (!cell || cell === before?.cell) return cell && before;
  const row = Number(cell.parentElement?.getAttribute('aria-rowindex')) - 2;
  return { cell, row, column: Number(cell.getAttribute('aria-colindex')) - 2 };
}
