import { dictionary } from '../../words/dictionary.ts';

export const contactsWords = dictionary(
  {
    search: 'Søk i kontakter',
    email: 'E-post',
    telephone: 'Telefon',
    role: 'Rolle',
    addContact: 'Ny kontakt',
    empty: 'Her kommer menneskene dere snakker med, hvordan de nås, og hvor de jobber.',
    none: (q: string) => `Ingen kontakt passer til «${q}».`,
    company: 'Selskap',
    companyHint: 'Søk på navn eller organisasjonsnummer',
    added: (name: string) => `${name} er lagt til`,
    partly: 'Kontakten er lagret, men ikke alt annet. Rett opp, og lagre igjen.',
  },
  {
    search: 'Search contacts',
    email: 'Email',
    telephone: 'Telephone',
    role: 'Role',
    addContact: 'New contact',
    empty: 'The people you talk to will be here, how to reach them, and where they work.',
    none: (q) => `No contact matches “${q}”.`,
    company: 'Company',
    companyHint: 'Search by name or organisation number',
    added: (name) => `${name} was added`,
    partly: 'The contact is saved, but not everything else. Correct it, and save again.',
  },
);
