import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './person-name.css';

/** Initials; the name stands beside it or names what holds it. */
export function Avatar({ name }: { name: string }) {
  const parts = name.split(/\s+/).filter(Boolean);
  const initials = [parts[0], parts.length > 1 ? parts.at(-1) : undefined].map(firstLetter);
  return (
    <span className="avatar" aria-hidden="true">
      {initials.join('').trim()}
    </span>
  );
}

/** The whole letter also where it is more than one code unit. */
export function firstLetter(name: string | undefined): string {
  return String.fromCodePoint(name?.codePointAt(0) ?? 32).toUpperCase();
}

/** A person where there is no room for the name, which shows when the pointer rests there. */
export function PersonInitials({ name, title = name }: { name: string; title?: string }) {
  return (
    <span title={title}>
      <Avatar name={name} />
      <span className="visually-hidden">{title}</span>
    </span>
  );
}

/** A member's name with initials, or words that nobody is assigned. */
export function PersonName({ name }: { name: string | null | undefined }) {
  const words = useWords(shared);
  if (!name) return <span className="muted truncate">{words.unassigned}</span>;
  return (
    <span className="person">
      <Avatar name={name} />
      <span className="truncate" title={name}>
        {name}
      </span>
    </span>
  );
}
