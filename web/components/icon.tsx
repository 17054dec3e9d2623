import './icon.css';

/** Drawn on a grid of 16 with lines of 1.5. */
const PATHS = {
  home: 'M2.5 7.2 8 2.8l5.5 4.4v6H9.8V9.5H6.2v3.7H2.5z',
  companies: 'M3 13.5v-11h6v11M9 6.5h4v7M1.8 13.5h12.4M5.2 5.2h1.6M5.2 7.8h1.6M5.2 10.4h1.6',
  contacts: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM2.8 13.6c.5-2.4 2.6-3.8 5.2-3.8s4.7 1.4 5.2 3.8',
  tasks: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.4 8.2l1.8 1.8 3.4-3.8',
  offers: 'M2.5 3h3v10h-3zM6.5 3h3v7h-3zM10.5 3h3v4.5h-3z',
  search: 'M7 11.8a4.8 4.8 0 1 0 0-9.6 4.8 4.8 0 0 0 0 9.6zM10.5 10.5l3.2 3.2',
  settings:
    'M2 4.5h6.5M12 4.5h2M2 11.5h2M7.5 11.5H14M10.2 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM5.8 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
  import: 'M8 2.5v7.2M5 7l3 3 3-3M2.8 11.2v2.3h10.4v-2.3',
  export: 'M8 9.8V2.6M5 5.4l3-3 3 3M2.8 11.2v2.3h10.4v-2.3',
  history: 'M2.6 8A5.4 5.4 0 1 0 4.4 4L2.6 5.6M2.6 2.6v3h3M8 5v3.2l2.2 1.4',
  key: 'M10.4 8.6a3 3 0 1 0-3-3c0 .4.1.8.2 1.1L2.6 11.7v1.7h2.2v-1.6h1.6v-1.6l1.5-1.5c.8.2 1.6 0 2.5-.1z',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4.5 6.5 8 10l3.5-3.5',
  up: 'M4.5 9.5 8 6l3.5 3.5',
  right: 'M6.5 4.5 10 8l-3.5 3.5',
  left: 'M9.5 4.5 6 8l3.5 3.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  copy: 'M5.5 5.5h7.8v7.8H5.5zM10.5 5.3V2.7H2.7v7.8h2.6',
  edit: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.3 4.5l2.2 2.2',
  trash: 'M3 4.5h10M6.3 4.3V2.7h3.4v1.6M4.3 4.7l.5 8.6h6.4l.5-8.6',
  archive: 'M2.3 3h11.4v3H2.3zM3.3 6.2v7h9.4v-7M6.5 8.7h3',
  undo: 'M5.5 3 2.7 5.8l2.8 2.8M3 5.8h6.2a3.8 3.8 0 0 1 0 7.6H6.4',
  calendar: 'M2.5 3.8h11v9.7h-11zM2.5 6.8h11M5.4 2.3v2.6M10.6 2.3v2.6',
  filter: 'M2.3 4h11.4M4.6 8h6.8M6.8 12h2.4',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9',
  external: 'M9 2.8h4.2V7M13 3 7.5 8.5M11.5 9.5v3.7H2.8V4.5h3.7',
  warning: 'M8 2.6 14.2 13.3H1.8zM8 6.6v3.1M8 11.5h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.4v3.4M8 5.2h.01',
  mail: 'M2 3.8h12v8.4H2zM2.3 4.3 8 8.8l5.7-4.5',
  phone: 'M5.6 2.8 3.2 3c-.5 4.8 4.9 10.4 9.8 9.9l.2-2.4-2.8-1.2-1.3 1.3c-1.5-.6-3-2.1-3.7-3.7L6.8 5.6z',
  note: 'M3 2.7h10v7.5l-3.2 3.1H3zM13 10.2H9.8v3.1M5.4 5.6h5.2M5.4 8h3.4',
  people:
    'M6 7.6a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.3-2.2 2-3.4 4.2-3.4S9.9 10.8 10.2 13M10.5 3.300a2.3 2.3 0 0 1 0 4.200M11.8 9.800c1.4.5 2.2 1.6 2.4 3.2',
  signOut: 'M6.5 2.700H2.800v10.600h3.700M6.3 8h7.200M10.8 5.2 13.6 8l-2.8 2.8',
  sun: 'M8 10.800a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.600zM8 1.800v1.400M8 12.800v1.400M1.8 8h1.400M12.8 8h1.400M3.6 3.600l1 1M11.4 11.400l1 1M12.4 3.600l-1 1M4.6 11.400l-1 1',
  drag: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration beside a word, or inside something that has a name. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
