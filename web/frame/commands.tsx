import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useMemo,
  useSyncExternalStore,
  type ReactNode,
} from 'react';

/** Something that can be done by name in the palette, by its keys, or both. */
export type Command = {
  /** Unique among the commands of one screen: `companies.add`. */
  id: string;
  label: string;
  /** What the palette and the page of shortcuts group it by. */
  group: string;
  /** `n`, `/`, `?`, `Mod+k`, or one after the other: `g c`. */
  keys?: string;
  /** Further words to find it by. */
  words?: string;
  /** Works by its keys only: neither in the palette nor on the page of shortcuts. */
  isHidden?: boolean;
  run: () => void;
};

type Registry = {
  add: (commands: readonly Command[]) => () => void;
  subscribe: (listener: () => void) => () => void;
  list: () => readonly Command[];
};

const Context = createContext<Registry | undefined>(undefined);

/** Holds the commands of what is on the screen, and listens to the keys. */
export function CommandProvider({ children }: { children: ReactNode }) {
  const registry = useMemo(() => createRegistry(), []);
  useEffect(() => listenToKeys(registry), [registry]);
  return <Context value={registry}>{children}</Context>;
}

/** Adds commands for as long as the component is there. Of two with the same keys, the keys run the later one. */
export function useCommands(commands: readonly Command[]): void {
  const registry = useRegistry();
  const run = useEffectEvent((at: number) => commands[at]?.run());
  // Compared as text, so that a list created on each render is registered again only when its content changes.
  const described = JSON.stringify(commands);
  useEffect(() => {
    const descriptions = JSON.parse(described) as Omit<Command, 'run'>[];
    return registry.add(descriptions.map((command, at) => ({ ...command, run: () => run(at) })));
  }, [registry, described]);
}

export function useCommandList(): readonly Command[] {
  const { subscribe, list } = useRegistry();
  return useSyncExternalStore(subscribe, list);
}

function useRegistry(): Registry {
  const registry = use(Context);
  if (!registry) throw new Error('useCommands needs a CommandProvider');
  return registry;
}

function createRegistry(): Registry {
  const listeners = new Set<() => void>();
  let all: readonly Command[] = [];
  const change = (next: readonly Command[]) => {
    all = next;
    for (const listener of listeners) listener();
  };
  return {
    add(commands) {
      change([...all, ...commands]);
      return () => change(all.filter((command) => !commands.includes(command)));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list: () => all,
  };
}

/** How long the second key of two may take. */
const SEQUENCE_MS = 1_200;

function listenToKeys(registry: Registry): () => void {
  let first: { key: string; at: number } | undefined;
  const listen = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    const key = nameOf(event);
    if (key === undefined || (isTyping(event) && !key.startsWith('Mod+')) || isCovered(event)) return;
    const sequence = first && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ${key}` : undefined;
    const command = findByKeys(registry, sequence) ?? findByKeys(registry, key);
    first = command ? undefined : { key, at: event.timeStamp };
    if (!command) return;
    event.preventDefault();
    command.run();
  };
  window.addEventListener('keydown', listen);
  return () => window.removeEventListener('keydown', listen);
}

function findByKeys(registry: Registry, keys: string | undefined): Command | undefined {
  return keys === undefined ? undefined : registry.list().findLast((command) => command.keys === keys);
}

/** Undefined for combinations that are the browser's. */
function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (ctrlKey || metaKey) return altKey ? undefined : `Mod+${key.toLowerCase()}`;
  return altKey ? undefined : key.length === 1 ? key.toLowerCase() : key;
}

const TAKES_TEXT =
  'input, textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=spinbutton]';

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  const field = target.closest(TAKES_TEXT);
  return field !== null && !(field instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(field.type));
}

/** Dialogs and menus keep the keys that are pressed in them to themselves. */
function isCovered({ target }: KeyboardEvent): boolean {
  return (
    target instanceof Element &&
    target.closest('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null
  );
}
