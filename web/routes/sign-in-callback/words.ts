import { dictionary } from '../../words/dictionary.ts';

export const words = dictionary(
  {
    title: 'Logger inn',
    failed: 'Innloggingen ble ikke fullført',
    elsewhere: 'Innloggingen ble ikke startet i denne fanen. Prøv igjen.',
    back: 'Til innlogging',
  },
  {
    title: 'Signing in',
    failed: 'Signing in was not completed',
    elsewhere: 'Signing in did not begin in this tab. Try again.',
    back: 'Go to sign-in',
  },
);
