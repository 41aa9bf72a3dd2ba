import { useRef, type MouseEvent, type PointerEvent } from 'react';

/** Pixels from which on a press is a drag, and no click that sorts. */
const SLACK = 6;

/** Draws headers of columns to another place. @param onDrop from and to which column */
export function useColumnDrag(onDrop: (from: number, to: number) => void) {
  const start = useRef<{ readonly index: number; readonly x: number; isMoving: boolean } | null>(null);
  const wasMoved = useRef(false);
  const end = (cell: HTMLElement) => {
    start.current = null;
    cell.style.transform = '';
    delete cell.dataset.moving;
  };
  return (index: number) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      wasMoved.current = false;
      // A finger scrolls.
      if (event.button === 0 && event.pointerType !== 'touch') {
        start.current = { index, x: event.clientX, isMoving: false };
      }
    },
    onPointerMove({ currentTarget: cell, clientX, pointerId }: PointerEvent<HTMLElement>) {
      const from = start.current;
      if (!from || (!from.isMoving && Math.abs(clientX - from.x) < SLACK)) return;
      if (!from.isMoving) cell.setPointerCapture(pointerId);
      from.isMoving = true;
      cell.dataset.moving = '';
      cell.style.transform = `translateX(${clientX - from.x}px)`;
    },
    onPointerUp({ currentTarget: cell, clientX }: PointerEvent<HTMLElement>) {
      const from = start.current;
      end(cell);
      if (!from?.isMoving) return;
      wasMoved.current = true;
      const others = [...(cell.parentElement?.querySelectorAll('[data-column]') ?? [])].filter((one) => one !== cell);
      const to = others.filter((one) => middleOf(one) < clientX).length;
      if (to !== from.index) onDrop(from.index, to);
    },
    onLostPointerCapture: ({ currentTarget }: PointerEvent<HTMLElement>) => end(currentTarget),
    onClickCapture(event: MouseEvent) {
      if (wasMoved.current) event.stopPropagation();
      wasMoved.current = false;
    },
  });
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}
