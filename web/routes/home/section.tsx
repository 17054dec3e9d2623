import { Link } from '@tanstack/react-router';
import { useId, type ReactNode } from 'react';

/** A section of the home page: a heading, a link to the rest, and the content. */
export function Section({
  title,
  link,
  children,
}: {
  title: string;
  link?: { to: string; text: string };
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className="home-section" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {link && <Link to={link.to}>{link.text}</Link>}
      </header>
      {children}
    </section>
  );
}
