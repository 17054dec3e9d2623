import { drawer } from '../src/register/sandbox/generated.ts';

/** What the generator draws from; lengths and shares follow the register's real records. */
const FORMS = [
  // Code, name, share in thousandths.
  ['ENK', 'Enkeltpersonforetak', 372],
  ['AS', 'Aksjeselskap', 372],
  ['FLI', 'Forening/lag/innretning', 112],
  ['ESEK', 'Eierseksjonssameie', 24],
  ['NUF', 'Norskregistrert utenlandsk foretak', 22],
  ['ORGL', 'Organisasjonsledd', 18],
  ['DA', 'Ansvarlig selskap med delt ansvar', 16],
  ['ANS', 'Ansvarlig selskap med solidarisk ansvar', 14],
  ['BRL', 'Borettslag', 13],
  ['KBO', 'Konkursbo', 11],
  ['STI', 'Stiftelse', 8],
  ['SA', 'Samvirkeforetak', 7],
  ['SAM', 'Tingsrettslig sameie', 6],
  ['ASA', 'Allmennaksjeselskap', 2],
  ['KOMM', 'Kommune', 1],
  ['SÆR', 'Annet foretak iflg. særskilt lov', 1],
  ['KIRK', 'Den norske kirke', 1],
] as const;

const FIRST_NAMES =
  'Åse Bjørn Kåre Solveig Øyvind Ærlend Ingrid Sigurd Ragnhild Tor Marit Håkon Gro Nils Siv'.split(' ');
const WORDS =
  'BYGG EIENDOM HOLDING INVEST TRANSPORT REGNSKAP RØRLEGGER MÅLERSERVICE KONSULENT DRIFT HELSE BARNEHAGE BÅTFORENING FISKEOPPDRETT SKOGSDRIFT KAFÉ FRISØR TAKST ELEKTRO IDRETTSLAG SAMEIE VELFORENING'.split(
    ' ',
  );
const STREETS = ['gata', 'veien', 'vegen', 'lia', 'svingen', 'kroken', ' terrasse', ' allé'];
const PLACES = [
  ['OSLO', '0301', 'OSLO'],
  ['BERGEN', '4601', 'BERGEN'],
  ['TROMSØ', '5501', 'TROMSØ'],
  ['BRØNNØYSUND', '1813', 'BRØNNØY'],
  ['ÅLESUND', '1508', 'ÅLESUND'],
  ['TØNSBERG', '3905', 'TØNSBERG'],
  ['MÅLØY', '4602', 'KINN'],
  ['LILLEHAMMER', '3405', 'LILLEHAMMER'],
  ['STAVANGER', '1103', 'STAVANGER'],
] as const;
const INDUSTRIES = [
  ['41.000', 'Oppføring av bygninger'],
  ['68.200', 'Utleie og drift av egen eller leid fast eiendom'],
  ['70.200', 'Bedriftsrådgivning og annen administrativ rådgivning'],
  ['62.100', 'Programmeringstjenester'],
  ['49.410', 'Godstransport på vei'],
  ['94.991', 'Aktiviteter i andre interesseorganisasjoner ikke nevnt annet sted'],
  ['96.210', 'Frisering og barbering'],
  ['64.210', 'Holdingselskapers virksomhet'],
  ['03.211', 'Produksjon av matfisk og skalldyr i hav- og kystbasert fiskeoppdrett'],
] as const;
const SYLLABLES =
  'å ås berg bjørk bråt dal elv fjell fjord foss gran grønn haug hav heim holm høy kvern lang lauv li løk lund mo myr nes nord nær ost rør sand skog sol stein strand sund sør tun ulv vang vest vik voll øde øst øy'.split(
    ' ',
  );
const PURPOSE =
  'drive handel produksjon tjenesteyting innen investere i aksjer eiendom andre selskaper utleie av arbeidskraft maskiner fremme medlemmenes felles interesser området rådgivning økonomi ledelse digitale løsninger oppføring rehabilitering boliger næringsbygg delta foretak med lignende virksomhet samt det som naturlig faller sammen dette kjøp salg forvaltning for egen regning transport gods kurs opplæring'.split(
    ' ',
  );
const FORM_LINK = 'https://data.brreg.no/enhetsregisteret/api/organisasjonsformer/';

/** Draws a whole number from 0 up to, but not including, the number given. */
type Draw = (choices: number) => number;

/**
 * The record of an invented unit, in the field order of the register's own file.
 * @param orgnr nine digits; everything else follows from them
 */
export function inventRecord(orgnr: string, branch: boolean): object {
  const between = drawer(Number(orgnr));
  const draw: Draw = (choices) => between(0, choices - 1);
  const chance = (percent: number): boolean => draw(100) < percent;
  const [code, formName] = branch ? (['BEDR', 'Underenhet til næringsdrivende'] as const) : pickForm(draw);
  const isCompany = code === 'AS' || code === 'ASA';
  const industry = chance(93) ? pickIndustry(draw) : undefined;
  const registered = day(draw, 1995, 31);
  return {
    organisasjonsnummer: orgnr,
    navn: inventName(draw, code),
    organisasjonsform: { kode: code, beskrivelse: formName, _links: linksTo(code) },
    ...(chance(9) && { hjemmeside: `www.e${orgnr}.example` }),
    ...(chance(branch ? 70 : 34) && { postadresse: inventAddress(draw, true) }),
    registreringsdatoEnhetsregisteret: registered,
    registrertIMvaregisteret: chance(32),
    ...(chance(32) && {
      registreringsdatoMerverdiavgiftsregisteret: registered,
      registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret: day(draw, 1995, 31),
    }),
    ...(industry && { naeringskode1: industry }),
    ...(industry && chance(7) && { naeringskode2: pickIndustry(draw) }),
    ...(industry && chance(1) && { naeringskode3: pickIndustry(draw) }),
    ...(chance(19) && { antallAnsatte: 5 + Math.floor(4_000 / (1 + draw(800))) }),
    harRegistrertAntallAnsatte: chance(30),
    ...(chance(17) && { epostadresse: `post@e${orgnr}.example` }),
    ...(chance(8) && { telefon: `00 00 ${orgnr.slice(3, 5)} ${orgnr.slice(5, 7)}` }),
    ...(chance(13) && { mobil: `0000${orgnr.slice(4, 8)}` }),
    ...(branch
      ? { overordnetEnhet: `3${orgnr.slice(1)}`, beliggenhetsadresse: inventAddress(draw, false) }
      : { forretningsadresse: inventAddress(draw, false), ...unitFacts(draw, isCompany, registered) }),
    respons_klasse: branch ? 'Underenhet' : 'Enhet',
    _links: {},
  };
}

function unitFacts(draw: Draw, isCompany: boolean, registered: string): object {
  const chance = (percent: number): boolean => draw(100) < percent;
  return {
    ...(isCompany && { stiftelsesdato: registered, vedtektsdato: day(draw, 2000, 26) }),
    institusjonellSektorkode: isCompany
      ? { kode: '2100', beskrivelse: 'Private aksjeselskaper mv.' }
      : { kode: '8200', beskrivelse: 'Personlig næringsdrivende' },
    registrertIForetaksregisteret: isCompany || chance(20),
    registrertIStiftelsesregisteret: false,
    registrertIFrivillighetsregisteret: chance(6),
    registrertIPartiregisteret: false,
    ...(isCompany && { sisteInnsendteAarsregnskap: '2025', registreringsdatoForetaksregisteret: registered }),
    konkurs: false,
    underAvvikling: chance(1),
    underTvangsavviklingEllerTvangsopplosning: false,
    erIKonsern: isCompany && chance(30),
    maalform: chance(85) ? 'Bokmål' : 'Nynorsk',
    ...(isCompany && { vedtektsfestetFormaal: inventPurpose(draw) }),
    ...((isCompany || chance(72)) && { aktivitet: inventPurpose(draw) }),
    ...(isCompany && {
      kapital: {
        belop: 30_000 + draw(900) * 100,
        antallAksjer: 100 + draw(900),
        type: 'Aksjekapital',
        valuta: 'NOK',
      },
    }),
    paategninger: [],
    ...(chance(6) && {
      historiskeNavn: [
        {
          navn: inventName(draw, 'AS'),
          fraDato: `${registered} 06:16:23`,
          tilDato: `${day(draw, 2010, 15)} 07:56:24`,
        },
      ],
    }),
  };
}

function inventName(draw: Draw, code: string): string {
  const person = `${pick(draw, FIRST_NAMES)} ${inventPlace(draw)}`.toUpperCase();
  if (code === 'ENK') return `${person}${draw(3) === 0 ? ` ${pick(draw, WORDS)}` : ''}`;
  const name = `${inventPlace(draw).toUpperCase()} ${pick(draw, WORDS)}`;
  if (draw(400) === 0) return `${name} "${person}" \\ AVD ${draw(90)}`;
  return draw(3) === 0 ? `${name} & ${pick(draw, WORDS)} ${code}` : `${name} ${draw(9_000)} ${code}`;
}

function inventAddress(draw: Draw, box: boolean): object {
  const [place, number, municipality] = pick(draw, PLACES);
  return {
    land: 'Norge',
    landkode: 'NO',
    postnummer: String(1 + draw(9_990)).padStart(4, '0'),
    poststed: place,
    adresse: [
      box ? `Postboks ${1 + draw(9_000)}` : `${inventPlace(draw)}${pick(draw, STREETS)} ${1 + draw(300)}`,
    ],
    kommune: municipality,
    kommunenummer: number,
  };
}

function inventPurpose(draw: Draw): string[] {
  // With invented words in between, the file compresses as well as the register's own file, to some 180 bytes a unit.
  const word = (): string => (draw(2) === 0 ? pick(draw, PURPOSE) : inventPlace(draw).toLowerCase());
  const line = (): string => Array.from({ length: 5 + draw(3) }, word).join(' ');
  return Array.from({ length: 1 + draw(3) }, () => `${line()},`);
}

/** A surname or place name of two or three syllables. */
function inventPlace(draw: Draw): string {
  const [first = '', ...rest] = Array.from({ length: 2 + draw(2) }, () => pick(draw, SYLLABLES));
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}${rest.join('')}`;
}

function linksTo(code: string): object {
  return { self: { href: FORM_LINK + code } };
}

function pickForm(draw: Draw): readonly [string, string] {
  let left = draw(1_000);
  for (const [code, name, share] of FORMS) {
    left -= share;
    if (left < 0) return [code, name];
  }
  return FORMS[0].slice(0, 2) as [string, string];
}

function pickIndustry(draw: Draw): object {
  const [kode, beskrivelse] = pick(draw, INDUSTRIES);
  return { kode, beskrivelse };
}

function day(draw: Draw, first: number, years: number): string {
  return `${first + draw(years)}-${two(1 + draw(12))}-${two(1 + draw(28))}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function pick<T>(draw: Draw, choices: readonly T[]): T {
  return choices[draw(choices.length)]!;
}
