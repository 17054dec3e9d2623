import { dictionary } from '../../words/dictionary.ts';

export const words = dictionary(
  {
    title: 'Logg inn',
    email: 'E-post',
    password: 'Passord',
    submit: 'Logg inn',
    wrong:
      'E-post og passord stemmer ikke overens. Prøv igjen, eller be en administrator om en lenke for nytt passord.',
    sso: (name: string) => `Fortsett med ${name}`,
    or: 'eller',
    help: 'Glemt passordet? En administrator kan gi deg en lenke.',
  },
  {
    title: 'Sign in',
    email: 'Email',
    password: 'Password',
    submit: 'Sign in',
    wrong:
      'Email and password do not match. Try again, or ask an administrator for a link to a new password.',
    sso: (name) => `Continue with ${name}`,
    or: 'or',
    help: 'Forgot the password? An administrator can give you a link.',
  },
);
