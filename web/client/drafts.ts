import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useIsLeft } from '../frame/toasts.tsx';
import { newId } from './new-id.ts';
import { useSession } from './session.ts';

type Stored<Values> = { values: Partial<Values>; keys: Readonly<Record<string, string>> };

/** Tells an open form that a closed one with the same draft has stored some of its values. */
const STORED = new EventTarget();

/** The keys of a draft that do not belong to a body that was sent. */
const NOT_SENT = /^\{"(?:idOf|newestOf)"/;

/** What is typed into a form and neither stored nor given up. */
export type Draft<Values> = {
  values: Values;
  set: (changes: Partial<Values>) => void;
  /** @param restOf gives the values that the next draft begins with */
  drop: (restOf?: (last: Values) => Partial<Values>) => void;
};

/**
 * Keeps what is typed into a form: in this tab it outlives the form, the page and a reload, until `drop`, or until the
 * person signs out. Not for passwords and keys. So that a repeated attempt creates nothing twice, `keyOf` gives the
 * same Idempotency-Key for an equal body, and `idOf` the same id for what is created, also after a correction.
 * A closed form does not overwrite a newer draft. Once what the closed form sent is stored, those values are removed
 * from the newer draft, if that began as a copy of them.
 * @param form undefined for a form that corrects something: it keeps nothing once it is closed
 */
export function useDraft<Values extends object>(form: string | undefined, initial: Values) {
  const { user, workspace } = useSession();
  const place = form && `kundebok.draft.${workspace.id}.${user.id}.${form}`;
  const [stored, setStored] = useState(() => read(place, initial));
  const latest = useRef(stored);
  const isLeft = useIsLeft();
  const written = useRef<string>(undefined);
  const isOthers = (at: string) => isLeft.current && sessionStorage.getItem(at) !== written.current;
  const values = { ...initial, ...stored.values };
  const keep = (next: Stored<Values>) => {
    latest.current = next;
    setStored(next);
    if (place === undefined || isOthers(place)) return;
    const isEmpty = [next.values, next.keys].every((part) => Object.keys(part).length === 0);
    written.current = isEmpty ? undefined : JSON.stringify(next);
    if (written.current === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, written.current);
  };
  const take = useEffectEvent(() => {
    latest.current = read(place, initial);
    written.current = (place && sessionStorage.getItem(place)) ?? undefined;
    setStored(latest.current);
  });
  useEffect(() => {
    if (place === undefined) return undefined;
    const onStored = () => take();
    STORED.addEventListener(place, onStored);
    return () => STORED.removeEventListener(place, onStored);
  }, [place]);
  const keyOf = (of: unknown, first = newId()): string => {
    const text = JSON.stringify(of);
    const key = latest.current.keys[text] ?? first;
    keep({ ...latest.current, keys: { ...latest.current.keys, [text]: key } });
    return key;
  };
  /** Other bodies that were sent, and may be stored. */
  const othersSent = (than: unknown): Record<string, unknown>[] =>
    Object.keys(latest.current.keys)
      .filter((text) => text !== JSON.stringify(than) && !NOT_SENT.test(text))
      .map((text) => JSON.parse(text) as Record<string, unknown>);
  const set = (changes: Partial<Values>) =>
    keep({ ...latest.current, values: { ...latest.current.values, ...changes } });
  return {
    values,
    set,
    /** The value of one field and what changes it. */
    field: <Name extends keyof Values>(name: Name) => ({
      value: values[name],
      onChange: (value: Values[Name]) => set({ [name]: value } as unknown as Partial<Values>),
    }),
    keyOf: (of: unknown) => keyOf(of),
    othersSent,
    /** The id of the newest of these rows before the first try: the first call stores it, later ones get it back. */
    newestBefore: (rows: string, newest: number) => Number(keyOf({ newestOf: rows }, String(newest))),
    /** Called when nothing of the earlier tries is stored any more: the next try counts as the first. */
    forgetSent: () => keep({ ...latest.current, keys: {} }),
    /** @param name distinguishes what is created from other things that the form creates before `drop` */
    idOf: (name = '') => keyOf({ idOf: name }),
    drop: (restOf: (last: Values) => Partial<Values> = () => ({})) => {
      const sent = latest.current;
      keep({ values: restOf({ ...initial, ...sent.values }), keys: {} });
      if (place === undefined || !isLeft.current) return;
      if (isOthers(place)) takeOut(place, sent, read(place, initial));
      STORED.dispatchEvent(new Event(place));
    },
  };
}

/** Removes from a newer draft what this form has stored meanwhile. What was typed into that draft itself stays. */
function takeOut<Values extends object>(place: string, sent: Stored<Values>, other: Stored<Values>): void {
  const tries = Object.entries(other.keys);
  // If the newer form has sent a changed body itself, that has already corrected what is stored.
  if (tries.length === 0 || !tries.every(([of, key]) => sent.keys[of] === key)) return;
  const isTyped = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(sent.values[name as keyof Values]);
  const values = Object.fromEntries(Object.entries(other.values).filter(isTyped));
  sessionStorage.setItem(place, JSON.stringify({ values, keys: {} }));
}

/** Leaves out values that an older release stored with another type. */
function read<Values extends object>(place: string | undefined, initial: Values): Stored<Values> {
  const text = place === undefined ? null : sessionStorage.getItem(place);
  if (text === null) return { values: {}, keys: {} };
  const { values, keys } = JSON.parse(text) as Stored<Values>;
  const fits = ([name, value]: [string, unknown]) => {
    const usual = initial[name as keyof Values];
    return usual === null || typeof value === typeof usual;
  };
  return { values: Object.fromEntries(Object.entries(values).filter(fits)) as Partial<Values>, keys };
}
