import type { ReactNode } from 'react';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './menu.css';

/** What an earlier text found, while the answer to the present one is on its way: shown, but not to be chosen. */
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
