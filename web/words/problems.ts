import { CallProblem, Unreachable, type Detail } from '../client/problem.ts';
import type { ProblemCode } from '../../src/http/problem.ts';
import { dictionary, useWords } from './dictionary.ts';
import { faults } from './faults.ts';

const words = dictionary(
  {
    unreachable: 'Får ikke kontakt med tjenesten. Sjekk nettet og prøv igjen.',
    unexpected:
      'Noe gikk galt hos oss. Prøv igjen; gjentar det seg, oppgi forespørsels-id-en til den som drifter tjenesten.',
    forbidden: 'Rollen din gir ikke tilgang til dette. En administrator kan endre den.',
    notFound: 'Finnes ikke her. Det kan være slettet.',
    changed: 'Noen andre har endret dette imens. Se over, og lagre igjen om det fortsatt stemmer.',
    deleted: 'Selskapet er slettet. Gjenopprett det først.',
    limit: 'Grensen på 1000 er nådd. Ingenting ble lagt til.',
    reference: 'En av dem du valgte, er ikke lenger med. Velg på nytt.',
    notInRegister: 'Ingen aktiv enhet i registeret har dette nummeret.',
    register: 'Registeret svarer ikke. Ingenting ble opprettet; prøv igjen om litt.',
    busy: 'For mange forespørsler akkurat nå. Vent et øyeblikk og prøv igjen.',
    unavailable: 'Tjenesten er utilgjengelig et øyeblikk. Prøv igjen om litt.',
    tooLarge: 'Dette er for stort til å sendes på én gang.',
    signedOut: 'Du er logget ut. Logg inn for å fortsette.',
    underWay: 'Det samme er allerede sendt og holder på. Vent et øyeblikk og prøv igjen.',
    keyEnded: 'Nøkkelen er trukket tilbake, utløpt eller byttet.',
    linkUsed: 'Lenken er brukt, eller for gammel. Be om en ny.',
    lastOwner: 'Arbeidsområdet må ha en eier. Gjør noen andre til eier først.',
    alreadyMember: 'Personen er allerede medlem her.',
    undoExpired: 'Det er mer enn ett døgn siden. Importen kan ikke angres lenger.',
    importUndone: 'Importen er angret. Start en ny.',
  },
  {
    unreachable: 'The service cannot be reached. Check your connection and try again.',
    unexpected:
      'Something failed on our side. Try again; if it keeps failing, give the request id to whoever runs the service.',
    forbidden: 'Your role does not allow this. An administrator can change it.',
    notFound: 'This is not here. It may have been deleted.',
    changed: 'Somebody else changed this meanwhile. Look it over, and save again if it still holds.',
    deleted: 'The company is deleted. Restore it first.',
    limit: 'The limit of 1000 is reached. Nothing was added.',
    reference: 'One of those you chose is no longer there. Choose again.',
    notInRegister: 'No active unit in the register has this number.',
    register: 'The register does not answer. Nothing was created; try again in a moment.',
    busy: 'Too many requests right now. Wait a moment and try again.',
    unavailable: 'The service is unavailable for a moment. Try again shortly.',
    tooLarge: 'This is too large to send at once.',
    signedOut: 'You are signed out. Sign in to go on.',
    underWay: 'The same was sent already and is under way. Wait a moment and try again.',
    keyEnded: 'The key was revoked, has expired or was replaced.',
    linkUsed: 'The link was used, or is too old. Ask for a new one.',
    lastOwner: 'The workspace must have an owner. Make somebody else an owner first.',
    alreadyMember: 'This person is a member here already.',
    undoExpired: 'It is more than a day ago. The import can no longer be undone.',
    importUndone: 'The import was undone. Start a new one.',
  },
);

type Key = keyof (typeof words)['en'];

const BY_CODE: Partial<Record<ProblemCode, Key>> = {
  unauthorized: 'signedOut',
  forbidden: 'forbidden',
  not_found: 'notFound',
  precondition_failed: 'changed',
  status_conflict: 'changed',
  company_deleted: 'deleted',
  limit_reached: 'limit',
  invalid_reference: 'reference',
  not_in_register: 'notInRegister',
  register_unavailable: 'register',
  rate_limited: 'busy',
  temporarily_unavailable: 'unavailable',
  payload_too_large: 'tooLarge',
  request_in_progress: 'underWay',
  key_ended: 'keyEnded',
  link_used: 'linkUsed',
  last_owner: 'lastOwner',
  already_member: 'alreadyMember',
  undo_expired: 'undoExpired',
  import_undone: 'importUndone',
};

/** Gives what is wrong with one field. Only the service knows what no form is meant to send, in English. */
export function useDetailText(): (detail: Detail) => string {
  const words = useWords(faults);
  return ({ rule, message }) => (rule ? words[rule] : message);
}

/** Gives what an error means to the reader. A page passes words of its own for codes that mean more there. */
export function useProblemText(): (error: unknown, own?: Readonly<Record<string, string>>) => string {
  const said = useWords(words);
  const detailText = useDetailText();
  return (error, own = {}) => {
    if (error instanceof Unreachable) return said.unreachable;
    if (!(error instanceof CallProblem)) return said.unexpected;
    const key = BY_CODE[error.code as ProblemCode];
    const detail = error.details.find(({ rule }) => rule !== undefined);
    const fallback =
      error.status < 500 && error.code !== 'unexpected_answer' ? error.message : said.unexpected;
    return own[error.code] ?? (key ? said[key] : detail ? detailText(detail) : fallback);
  };
}
