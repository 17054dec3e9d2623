import { dictionary } from '../../words/dictionary.ts';

export const words = dictionary(
  {
    title: 'Logger inn',
    failed: 'Innloggingen ble ikke fullført',
    notLinked: 'Kontoen ble ikke knyttet til profilen',
    elsewhere: 'Innloggingen ble ikke startet i denne fanen. Prøv igjen.',
    problems: {
      sign_in_failed: 'Det tok for lang tid, eller det ble ikke bekreftet hvem du er. Prøv igjen.',
      account_not_linked:
        'Ingen bruker er knyttet til denne kontoen. Åpne lenken i en invitasjon, eller logg inn på en annen måte og knytt kontoen til profilen din.',
      account_linked_elsewhere: 'Denne kontoen er allerede knyttet til en annen bruker.',
    },
    back: 'Til innlogging',
    backToProfile: 'Tilbake til profilen',
  },
  {
    title: 'Signing in',
    failed: 'Sign-in was not completed',
    notLinked: 'The account was not linked to your profile',
    elsewhere: 'Sign-in did not begin in this tab. Try again.',
    problems: {
      sign_in_failed: 'It took too long, or your identity was not confirmed. Try again.',
      account_not_linked:
        'No user is linked to this account. Open an invitation link, or sign in another way and link the account in your profile.',
      account_linked_elsewhere: 'This account is already linked to another user.',
    },
    back: 'Go to sign-in',
    backToProfile: 'Back to your profile',
  },
);
