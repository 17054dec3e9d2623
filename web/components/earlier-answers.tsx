import type { ReactNode } from 'react';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './menu.css';

/** What an earlier text found, while the answer to the present one is on its way: seen, not chosen from. */
export function EarlierAnswers({ children }: { children: ReactNode }) {
  const { loading } = useWords(shared);
  return (
    <>
      <span className="visually-hidden">{loading}</span>
      <div className="menu-earlier" aria-hidden="true">
        {children}
      </div>
    </>
  );
}
