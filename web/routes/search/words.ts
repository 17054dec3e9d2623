import { dictionary } from '../../words/dictionary.ts';

export const searchWords = dictionary(
  {
    field: 'Søk i hele arbeidsområdet',
    prompt:
      'Søk på navn, tittel, organisasjonsnummer, e-postadresse eller telefonnummer i selskaper, kontakter, oppgaver og tilbud.',
    keys: 'Pil ned går til treffene.',
    none: (text: string) => `Ingenting passer til «${text}».`,
    found: (count: string) => `${count} treff`,
    pages: 'Sider',
    all: (what: string) => `Alle treff i ${what}`,
    latest: (count: string) => `Viser de ${count} som sist ble endret. Skriv mer for å finne andre.`,
    doneTask: 'Fullført',
    archived: 'Arkivert',
  },
  {
    field: 'Search the workspace',
    prompt:
      'Find companies, contacts, tasks and offers by name, title, organisation number, email address or telephone number.',
    keys: 'The down arrow key goes to the results.',
    none: (text) => `Nothing matches “${text}”.`,
    found: (count) => `${count} found`,
    pages: 'Pages',
    all: (what) => `All matches in ${what}`,
    latest: (count) => `Showing the ${count} most recently changed. Type more to find others.`,
    doneTask: 'Done',
    archived: 'Archived',
  },
);
