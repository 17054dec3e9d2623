import { CallProblem, Explained, Unreachable, type Detail } from '../client/problem.ts';
import type { ProblemCode, Rule } from '../../src/http/problem.ts';
import { dictionary, useWords } from './dictionary.ts';

const words = dictionary(
  {
    unreachable: 'Får ikke kontakt med tjenesten. Sjekk nettet og prøv igjen.',
    unexpected: 'Noe gikk galt hos oss. Prøv igjen, eller si fra til den som drifter tjenesten.',
    forbidden: 'Rollen din gir ikke tilgang til dette. En eier kan endre den.',
    notFound: 'Finnes ikke her. Det kan være slettet.',
    changed: 'Noen andre har endret dette imens. Se over, og lagre igjen om det fortsatt stemmer.',
    deleted: 'Selskapet er slettet. Gjenopprett det først.',
    limit: 'Grensen er nådd. Ingenting ble lagt til.',
    reference: 'Noe du valgte, finnes ikke her lenger. Velg på nytt.',
    notInRegister: 'Ingen aktiv enhet i registeret har dette nummeret.',
    register: 'Registeret svarer ikke akkurat nå. Prøv igjen om litt.',
    busy: 'For mange forespørsler akkurat nå. Vent et øyeblikk og prøv igjen.',
    unavailable: 'Tjenesten er utilgjengelig et øyeblikk. Prøv igjen om litt.',
    tooLarge: 'Dette er for stort til å sendes på én gang.',
    signedOut: 'Du var logget ut. Logg inn, og prøv igjen.',
    elsewhere: 'Du er i et annet arbeidsområde nå. Last siden på nytt.',
    linkUsed:
      'Lenken er brukt, eller for gammel. Har du brukt den selv, kan du logge inn. Hvis ikke, må du be den som ga deg den, om en ny.',
    signInFirst: 'Du har allerede en konto her. Logg inn med den, og åpne lenken igjen.',
    provider: 'Engangspålogging svarer ikke. Logg inn på en annen måte, eller prøv igjen senere.',
    noWorkspace: 'Du er ikke med i noe arbeidsområde. Be en eier eller administrator om en invitasjon.',
    lastWayIn: 'Du har ingen annen måte å logge inn på. Velg et passord først.',
    alreadyMember: 'Denne personen er allerede medlem.',
    notEmpty: 'Det er selskaper her allerede. Demodata legges bare inn i et tomt arbeidsområde.',
    erased: 'Opplysningene er slettet for godt imens.',
    outdated: 'Listen er utdatert. Prøv igjen.',
  },
  {
    unreachable: 'The service cannot be reached. Check your connection and try again.',
    unexpected: 'Something went wrong on our side. Try again, or tell whoever runs the service.',
    forbidden: 'Your role does not allow this. An owner can change it.',
    notFound: 'This is not here. It may have been deleted.',
    changed: 'Somebody else changed this meanwhile. Check it, and save again if it is still right.',
    deleted: 'The company is deleted. Restore it first.',
    limit: 'The limit is reached. Nothing was added.',
    reference: 'Something you chose is no longer here. Choose again.',
    notInRegister: 'No active unit in the register has this number.',
    register: 'The register is not answering right now. Try again in a moment.',
    busy: 'Too many requests right now. Wait a moment and try again.',
    unavailable: 'The service is unavailable for a moment. Try again shortly.',
    tooLarge: 'This is too large to send at once.',
    signedOut: 'You were signed out. Sign in and try again.',
    elsewhere: 'You are in another workspace now. Reload the page.',
    linkUsed:
      'The link has been used, or it is too old. If you have used it yourself, sign in. If not, ask whoever gave it to you for a new one.',
    signInFirst: 'You already have an account here. Sign in with it, and open the link again.',
    provider: 'Single sign-on does not answer. Sign in another way, or try again later.',
    noWorkspace: 'You are not in any workspace. Ask an owner or administrator for an invitation.',
    lastWayIn: 'You have no other way to sign in. Set a password first.',
    alreadyMember: 'This person is already a member.',
    notEmpty: 'There are companies here already. Demo data can only be added to an empty workspace.',
    erased: 'The data was erased meanwhile.',
    outdated: 'The list is out of date. Try again.',
  },
);

/** What is wrong with the value of a field, by the rule that it breaks. */
export const faults = dictionary(
  {
    required: 'Fyll ut dette feltet.',
    too_long: 'Teksten er for lang.',
    too_short: 'Teksten er for kort.',
    email: 'Skriv en hel e-postadresse, som navn@firma.no.',
    date: 'Skriv en gyldig dato.',
    number: 'Skriv et helt tall innenfor grensene.',
    text: 'Teksten har tegn som ikke kan lagres.',
    choice: 'Velg en av mulighetene.',
    reference: 'Det du valgte, finnes ikke her lenger. Velg på nytt.',
    taken: 'Dette er allerede i bruk.',
  } satisfies Record<Rule, string>,
  {
    required: 'Fill in this field.',
    too_long: 'The text is too long.',
    too_short: 'The text is too short.',
    email: 'Write a whole email address, such as name@company.no.',
    date: 'Write a valid date.',
    number: 'Write a whole number within the limits.',
    text: 'The text has characters that cannot be stored.',
    choice: 'Choose one of the options.',
    reference: 'What you chose is no longer here. Choose again.',
    taken: 'This is already in use.',
  },
);

type Key = keyof (typeof words)['en'];

/**
 * Codes whose text is elsewhere: with the rule of a detail, or with the page that meets the code. `cross_site` is
 * answered in English, for the person who sets up the service.
 */
type SaidElsewhere =
  | 'invalid_request'
  | 'id_already_used'
  | 'account_not_linked'
  | 'account_linked_elsewhere'
  | 'last_owner'
  | 'hand_over_first'
  | 'import_undone'
  | 'undo_expired'
  | 'key_ended'
  | 'other_workspaces'
  | 'cross_site';

const BY_CODE: Record<Exclude<ProblemCode, SaidElsewhere>, Key> = {
  unauthorized: 'signedOut',
  // On pages other than that of signing in: the session ended while an invitation was being accepted.
  sign_in_failed: 'signedOut',
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
  request_in_progress: 'unavailable',
  request_timeout: 'unavailable',
  link_used: 'linkUsed',
  sign_in_first: 'signInFirst',
  no_workspace: 'noWorkspace',
  last_way_in: 'lastWayIn',
  provider_unavailable: 'provider',
  already_member: 'alreadyMember',
  workspace_changed: 'elsewhere',
  workspace_not_empty: 'notEmpty',
  erased: 'erased',
  cursor_expired: 'outdated',
  // Only a defect of the application leads to these.
  idempotency_key_reused: 'unexpected',
  malformed_json: 'unexpected',
  malformed_request: 'unexpected',
  method_not_allowed: 'unexpected',
  uri_too_long: 'unexpected',
  unsupported_media_type: 'unexpected',
  headers_too_large: 'unexpected',
  internal_error: 'unexpected',
  not_implemented: 'unexpected',
};

/** The rule that a browser found broken; undefined for what a page or the service found. */
export function ruleOf(validity: ValidityState): Rule | undefined {
  if (validity.valueMissing) return 'required';
  if (validity.tooLong) return 'too_long';
  if (validity.tooShort) return 'too_short';
  if (validity.typeMismatch) return 'email';
  const isOut = validity.rangeUnderflow || validity.rangeOverflow;
  return isOut || validity.stepMismatch || validity.badInput ? 'number' : undefined;
}

/** Gives what is wrong with one field. What no form should send has only the service's message, in English. */
export function useDetailText(): (detail: Detail) => string {
  const words = useWords(faults);
  return ({ rule, message }) => (rule ? words[rule] : message);
}

/** Gives what an error means to the reader. A page passes words of its own for codes that mean more there. */
export function useProblemText(): (error: unknown, own?: Readonly<Record<string, string>>) => string {
  const said = useWords(words);
  const detailText = useDetailText();
  return (error, own = {}) => {
    if (error instanceof Explained) return error.message;
    if (error instanceof Unreachable) return said.unreachable;
    if (!(error instanceof CallProblem)) return said.unexpected;
    const key = (BY_CODE as Partial<Record<string, Key>>)[error.code];
    const detail = error.details.find(({ rule }) => rule !== undefined);
    const fallback =
      error.status < 500 && error.code !== 'unexpected_answer' ? error.message : said.unexpected;
    return own[error.code] ?? (key ? said[key] : detail ? detailText(detail) : fallback);
  };
}
