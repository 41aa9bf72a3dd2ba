/** One set of outlines on 16 px, drawn for this console. */
const SHAPES = {
  activity: 'M1.8 8h3l2-5 2.6 10 2-5h2.8',
  add: 'M8 3v10M3 8h10',
  back: 'M10 3 5 8l5 5',
  chat: 'M2.5 3h11v7.5h-6L4.5 13v-2.5h-2z',
  check: 'm3 8.5 3.2 3.2L13 5',
  close: 'm4 4 8 8M12 4l-8 8',
  columns: 'M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  down: 'm4 6 4 4 4-4',
  edit: 'm3 13 .7-2.8L10.5 3.4l2.1 2.1L5.8 12.3zM9.3 4.6l2.1 2.1',
  expand: 'M9.5 3H13v3.5M13 3 9 7M6.5 13H3V9.5M3 13l4-4',
  export: 'M8 9.5V2.5M5.2 5.2 8 2.4l2.8 2.8M3 9.5v4h10v-4',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  import: 'M8 2.5v7M5.2 6.7 8 9.5l2.8-2.8M3 9.5v4h10v-4',
  keyboard: 'M1.8 4.3h12.4v7.4H1.8zM4.3 7h.1M7 7h.1M9.6 7h.1M12 7h.1M5.2 9.5h5.6',
  list: 'M3 4h10M3 8h10M3 12h10',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  right: 'm6 4 4 4-4 4',
  pin: 'M6 2.5h4M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5',
  group: 'M2.5 3.5h4M4.5 7h9M4.5 10h9M4.5 13h9',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3',
  chart: 'M2.5 13.5h11M4 11.5v-4M8 11.5v-8M12 11.5v-6',
  reload: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2 13.4 13.4',
  sortDown: 'M8 3v10M4.5 9.5 8 13l3.5-3.5',
  sortUp: 'M8 13V3M4.5 6.5 8 3l3.5 3.5',
  trash: 'M2.8 4.5h10.4M6 4.5V3h4v1.5M4.2 4.5l.6 8.5h6.4l.6-8.5',
  undo: 'M5.5 3 2.8 5.7 5.5 8.4M3 5.7h6.2a3.6 3.6 0 0 1 0 7.2H6',
  up: 'm4 10 4-4 4 4',
  user: 'M8 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M3 13.5c.6-2.6 2.5-4 5-4s4.4 1.4 5 4',
  webhook: 'M3 8h7M7.5 5 10.5 8l-3 3M13 3v10',
  warning: 'M8 2.8 14 13H2zM8 6.6v3M8 11.2h.1',
} as const;
export type IconName = keyof typeof SHAPES;

/** A picture beside words, or in a button with a name: hidden from those who listen. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
