import {
  createContext,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
} from 'react';

/** The id of the entry that Tab leads to. */
const Current = createContext<string | undefined>(undefined);

/** Whether Tab stops here: in an EntryList at the current entry alone, elsewhere always. */
const IsStop = createContext(true);

/**
 * A list of what happened, as one stop of Tab: the arrows, Home and End move between the times of the entries. What can
 * be done with an entry is reached by Tab from its time.
 */
export function EntryList(props: ComponentProps<'ol'>) {
  const list = useRef<HTMLOListElement>(null);
  const [current, setCurrent] = useState<string>();
  const { children } = props;
  useLayoutEffect(() => {
    const entries = [...(list.current?.children ?? [])];
    if (!entries.some(({ id }) => id === current)) setCurrent(entries[0]?.id);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- entries come and go with the children
  }, [current, children]);
  return (
    <Current value={current}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- what is in it takes the focus */}
      <ol
        {...props}
        ref={list}
        onFocus={({ target }) => setCurrent(target.closest('li')?.id)}
        onKeyDown={moveBetweenTimes}
      />
    </Current>
  );
}

/** One entry of an EntryList, with one `Time` in it. */
export function Entry(props: Omit<ComponentProps<'li'>, 'id'>) {
  const id = useId();
  const current = useContext(Current);
  return (
    <IsStop value={current === id}>
      <li {...props} id={id} />
    </IsStop>
  );
}

export function useIsStop(): boolean {
  return useContext(IsStop);
}

function moveBetweenTimes(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event;
  const times = [...currentTarget.querySelectorAll<HTMLElement>('[role=note]')];
  const at = times.findIndex((time) => time === target);
  if (at === -1 || event.ctrlKey || event.metaKey || event.altKey) return;
  const places: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: times.length - 1,
  };
  const to = places[key];
  if (to === undefined) return;
  event.preventDefault();
  times[to]?.focus();
}
