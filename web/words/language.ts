import { createContext, use } from 'react';

export type Language = 'nb' | 'en';

/** The names of the languages for Intl and React Aria. */
export const LOCALES = { nb: 'nb-NO', en: 'en-GB' } as const;

export type Speaking = {
  language: Language;
  /** IANA name; of the workspace once somebody is signed in. */
  timeZone: string;
  /** Takes over the language of the profile, or else the workspace's, and the time zone of the workspace. */
  speak: (as: { language?: Language | null; otherwise?: Language; timeZone?: string }) => void;
};

export const LanguageContext = createContext<Speaking | undefined>(undefined);

export function useLanguage(): Speaking {
  const speaking = use(LanguageContext);
  if (!speaking) throw new Error('useLanguage needs a LanguageProvider');
  return speaking;
}
