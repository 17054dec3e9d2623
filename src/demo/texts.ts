import type { Company } from '../companies/schema.ts';

/** Names and texts of the demo. The people are invented; the addresses are under example.no. */

export const COLLEAGUES = [
  { first_name: 'Ingrid', last_name: 'Solberg', email: 'ingrid.solberg@example.no' },
  { first_name: 'Jonas', last_name: 'Haugen', email: 'jonas.haugen@example.no' },
  { first_name: 'Silje', last_name: 'Bakken', email: 'silje.bakken@example.no' },
] as const;

export const FIRST_NAMES =
  'Anders Anne Astrid Berit Bjørn Camilla Eirik Elin Espen Eva Frode Geir Grete Håkon Hanne Hege Ida Ivar Jan Jorunn Kari Kjersti Knut Lars Linn Magnus Marit Morten Nina Odd Ola Pål Ragnhild Rune Sigrid Stian Tone Trond Turid Øystein Åse'.split(
    ' ',
  );

export const LAST_NAMES =
  'Aasen Andersen Berg Berge Bøe Dahl Eide Eriksen Fjeld Fossum Gundersen Hagen Halvorsen Hansen Henriksen Iversen Jacobsen Johansen Karlsen Kristiansen Larsen Lie Lund Moen Myhre Nilsen Nygård Olsen Pedersen Rød Sandvik Solheim Strand Sætre Tangen Vik Wold Ødegård Ås'.split(
    ' ',
  );

export const JOB_TITLES = [
  'Daglig leder',
  'Daglig leder',
  'Innkjøpssjef',
  'Økonomisjef',
  'Regnskapsansvarlig',
  'IT-ansvarlig',
  'Prosjektleder',
  'Kontorleder',
  'Styreleder',
] as const;

export const CONTACT_NOTES = [
  'Foretrekker e-post.',
  'Treffes best før klokka ti.',
  'Ring mobilen, ikke sentralbordet.',
  'Tar beslutningen sammen med styret.',
  'Møtte på messa i Lillestrøm.',
] as const;

/** Notes that begin a company's story, notes in between, and notes that end a story that has ended. */
export const NOTES: Record<Company['status'], { first: string[]; later: string[]; last?: string[] }> = {
  lead: {
    first: ['Fylte ut skjemaet på nettsiden.', 'Tips fra en kunde.', 'La igjen visittkort på messa.'],
    later: [
      'Prøvde å ringe, fikk ikke svar.',
      'Sendte en kort presentasjon på e-post.',
      'Ba oss ringe tilbake over nyttår.',
    ],
  },
  prospect: {
    first: [
      'Tok kontakt om ny avtale.',
      'Første samtale: dagens løsning er dyr og tungvint.',
      'Anbefalt av styreleder.',
    ],
    later: [
      'Hadde et godt møte, de vil ha et tilbud.',
      'Viste løsningen på Teams. Mange spørsmål om integrasjon med regnskapet.',
      'Ønsker tilbud på serviceavtale.',
      'De sammenligner oss med én leverandør til.',
      'Budsjettet avklares i neste ledermøte.',
      'Sendte referanser.',
    ],
  },
  customer: {
    first: [
      'Signerte avtalen, oppstart avtalt.',
      'Ny kunde! Kom fra anbefaling.',
      'Overtatt fra gammelt system.',
    ],
    later: [
      'Oppstartsmøte gjennomført.',
      'Opplæring av fire brukere, alt gikk greit.',
      'Fornøyde. Spurte om pris på utvidelse.',
      'Kvartalsmøte: ingen åpne saker.',
      'Fakturaen manglet referanse, sendt på nytt.',
      'Vil ha samme løsning på avdelingskontoret.',
      'Ny kontaktperson på økonomi.',
      'Ønsker fornyelse med tre års binding.',
    ],
  },
  former_customer: {
    first: ['Kunde i flere år, overtatt fra gammelt system.'],
    later: [
      'Kvartalsmøte: mindre bruk enn før.',
      'Ny ledelse, vurderer alle leverandører på nytt.',
      'Tilbudt rabatt ved fornyelse.',
    ],
    last: ['Sa opp avtalen, går over til egen løsning.', 'Avtalen er avsluttet. Døra står åpen.'],
  },
  disqualified: {
    first: ['Fylte ut skjemaet på nettsiden.', 'Ringte inn og spurte om pris.'],
    later: ['Gikk gjennom behovet på telefon.'],
    last: ['For små til at avtalen lønner seg for dem.', 'Skal ikke kjøpe noe likevel.', 'Ikke vårt marked.'],
  },
};

/** What is offered: ranges of one-time and recurring amounts in kroner, to be multiplied for large companies. */
export const PRODUCTS = [
  { title: 'Serviceavtale', once: [0, 0], recurring: [1_500, 6_000], frequency: 'monthly' },
  { title: 'Driftsavtale', once: [10_000, 30_000], recurring: [4_000, 12_000], frequency: 'monthly' },
  { title: 'Årslisens', once: [0, 0], recurring: [12_000, 60_000], frequency: 'yearly' },
  { title: 'Vedlikehold per kvartal', once: [0, 0], recurring: [6_000, 24_000], frequency: 'quarterly' },
  { title: 'Oppstart og opplæring', once: [15_000, 90_000], recurring: [0, 0], frequency: 'monthly' },
  {
    title: 'Integrasjon mot regnskap',
    once: [40_000, 160_000],
    recurring: [900, 2_500],
    frequency: 'monthly',
  },
] as const;

export const DONE_TASKS = [
  'Ring tilbake',
  'Send presentasjon',
  'Book møte',
  'Send kontrakt til signering',
  'Avklar faktureringsadresse',
  'Hent inn referanser',
] as const;

export const OPEN_TASKS = [
  'Ring om fornyelse',
  'Følg opp tilbudet',
  'Forbered kvartalsmøte',
  'Send revidert tilbud',
  'Avtal opplæring',
  'Sjekk at oppstarten gikk bra',
] as const;

/** Tasks about no company. */
export const OWN_TASKS = ['Forbered salgsmøtet', 'Før reiseregning', 'Inviter til frokostseminar'] as const;

export const TASK_DESCRIPTIONS = [
  null,
  null,
  'Ta med tallene fra forrige kvartal.',
  'Spør hvem som signerer.',
  'De vil helst ha det på e-post.',
] as const;
