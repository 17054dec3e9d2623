import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { LanguageContext, LOCALES, type Language, type Speaking } from './language.ts';

const KEY = 'kundebok.language';

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(() => askedFor() ?? 'en');
  const [timeZone, setTimeZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  // Always the same function: the frame calls it when the session changes, not when the language does.
  const speak = useCallback<Speaking['speak']>((as) => {
    if (as.timeZone) setTimeZone(as.timeZone);
    if (as.language) localStorage.setItem(KEY, as.language);
    const next = as.language ?? (askedFor() === undefined ? as.otherwise : undefined);
    if (next) setLanguage(next);
  }, []);
  const speaking = useMemo(() => ({ language, timeZone, speak }), [language, timeZone, speak]);
  return (
    <LanguageContext value={speaking}>
      <I18nProvider locale={LOCALES[language]}>{children}</I18nProvider>
    </LanguageContext>
  );
}

/** The language chosen here before, else the first that the browser asks for: Norwegian in any form, or English. */
function askedFor(): Language | undefined {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'nb' || chosen === 'en') return chosen;
  const asked = navigator.languages.find((tag) => /^(?:nb|nn|no|en)\b/.test(tag));
  if (asked === undefined) return undefined;
  return asked.startsWith('en') ? 'en' : 'nb';
}
