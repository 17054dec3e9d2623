import { dictionary } from '../../words/dictionary.ts';

export const words = dictionary(
  {
    about: 'Navn, språk og tidssone',
    onlyOwners: 'En eier av arbeidsområdet kan endre dette.',
    language: 'Språk',
    languageHint: 'For dem som verken har valgt språk selv eller har en nettleser på norsk eller engelsk.',
    languages: { nb: 'Norsk bokmål', en: 'English' },
    timeZone: 'Tidssone',
    timeZoneHint: 'En frist uten klokkeslett gjelder dagen i denne tidssonen.',
    unknownZone: 'Velg en tidssone fra listen.',
    saved: 'Arbeidsområdet er lagret',
    ids: 'For integrasjoner',
    workspaceId: 'Arbeidsområdets ID',
    another: 'Nytt arbeidsområde',
    anotherText:
      'Et eget sted med egne selskaper, medlemmer og nøkler. Du blir eier, og bytter mellom arbeidsområdene i menyen med navnet ditt.',
    create: 'Opprett og gå dit',
  },
  {
    about: 'Name, language and time zone',
    onlyOwners: 'An owner of the workspace can change this.',
    language: 'Language',
    languageHint:
      'For people who have not chosen a language and whose browser is in neither Norwegian nor English.',
    languages: { nb: 'Norsk bokmål', en: 'English' },
    timeZone: 'Time zone',
    timeZoneHint: 'A due date without a time means the day in this time zone.',
    unknownZone: 'Choose a time zone from the list.',
    saved: 'The workspace is saved',
    ids: 'For integrations',
    workspaceId: 'Workspace ID',
    another: 'Another workspace',
    anotherText:
      'A place of its own with its own companies, members and keys. You become its owner, and switch between workspaces in the menu with your name.',
    create: 'Create and go there',
  },
);
