import type { ReactNode } from 'react';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { useHeadingFocus, useTitle } from './page.tsx';
import './doorway.css';

/** A page outside of the frame: signing in and welcome. */
export function Doorway({ title, intro, children }: { title: string; intro?: string; children: ReactNode }) {
  const words = useWords(shared);
  const heading = useHeadingFocus();
  useTitle(title);
  return (
    <main className="doorway">
      <div className="doorway-box">
        <p className="doorway-app">
          <img src="/icon.svg" alt="" width="24" height="24" />
          {words.app}
        </p>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {intro && <p className="muted">{intro}</p>}
        {children}
      </div>
    </main>
  );
}
