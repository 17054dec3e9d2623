import { dictionary } from '../words/dictionary.ts';

/** Also needed before anybody has signed in; the frame's other words are loaded with the frame. */
export const failureWords = dictionary(
  {
    crashed: 'Denne siden kunne ikke vises',
    requestId: (id: string) => `Forespørsels-ID ${id}`,
    notFound: 'Fant ikke siden',
    notFoundText: 'Adressen finnes ikke, eller det den viste til, er borte.',
    toHome: 'Gå til Hjem',
  },
  {
    crashed: 'This page could not be shown',
    requestId: (id) => `Request ID ${id}`,
    notFound: 'Page not found',
    notFoundText: 'There is no such address, or what it led to is gone.',
    toHome: 'Go to home',
  },
);
