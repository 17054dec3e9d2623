import { dictionary } from '../../words/dictionary.ts';

export const words = dictionary(
  {
    title: 'Logg inn',
    email: 'E-post',
    password: 'Passord',
    submit: 'Logg inn',
    wrong:
      'E-post og passord stemmer ikke overens. Prøv igjen, eller be en eier av arbeidsområdet om en lenke for nytt passord.',
    sso: (name: string) => `Fortsett med ${name}`,
    passkey: 'Logg inn med passnøkkel',
    passkeyAtAddress:
      'Passnøkler virker ikke på en IP-adresse. Åpne Kundebok med et navn i adressen, eller logg inn på en annen måte.',
    passkeyRefused: 'Passnøkkelen ble ikke godtatt. Prøv igjen, eller logg inn på en annen måte.',
    tooMany:
      'For mange forsøk. Prøv igjen om et kvarter, eller be en eier av arbeidsområdet om en lenke for nytt passord.',
    other:
      'Invitasjonen er til en annen konto. Åpne lenken igjen for å bruke den kontoen, eller logg inn her uten invitasjonen.',
    or: 'eller',
    help: 'Glemt passordet? En eier av arbeidsområdet kan gi deg en lenke.',
  },
  {
    title: 'Sign in',
    email: 'Email',
    password: 'Password',
    submit: 'Sign in',
    wrong:
      'Email and password do not match. Try again, or ask an owner of the workspace for a link to set a new password.',
    sso: (name) => `Continue with ${name}`,
    passkey: 'Sign in with a passkey',
    passkeyAtAddress:
      'Passkeys do not work at an IP address. Open Kundebok by a name instead, or sign in another way.',
    passkeyRefused: 'The passkey was not accepted. Try again, or sign in another way.',
    tooMany:
      'Too many attempts. Try again in a quarter of an hour, or ask an owner of the workspace for a link to set a new password.',
    other:
      'The invitation is for another account. Open the link again to use that account, or sign in here without the invitation.',
    or: 'or',
    help: 'Forgot the password? An owner of the workspace can give you a link.',
  },
);
