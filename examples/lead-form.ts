// A form for a company's web site: a visitor types the number or name of a company, sees what the register has, and
// leaves a name and an address. The key stays on this server; the browser sees nothing but HTML.
//
//   CRM_ADDRESS=http://127.0.0.1:3000/api/v1 CRM_KEY=kb_… PORT=8080 node lead-form.ts   (Node 24.2 or later)
//
// Whatever goes wrong is told in words for the visitor, who keeps what was typed and presses Send again: nothing is
// there twice, also when the button is pressed twice at once.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { leadPage, searchPage, thanksPage } from './lead-form-pages.ts';
import { CrmError, crmFromEnvironment, expectData, stableId, type Crm, type Schemas } from './crm.ts';

type Unit = Schemas['RegisterUnit'];
type Labels = Record<string, string>;

const BLANK = { submission: '', orgnr: '', company: '', name: '', email: '', telephone: '', message: '' };
export type Lead = typeof BLANK;

class LeadError extends Error {}

const MAX_BODY = 100_000;

/** Each form is one lead: a visitor who goes back to it gets a new form, as the next visitor does. */
const PAGE = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };

const OURS = 'Something is wrong on our side. Please send an e-mail to post@example.no instead.';
const LATER = 'We cannot look this up right now. Please try again in a minute; nothing is lost.';

/** What a visitor can do about an error, by its code. Everything else is not the visitor's to correct. */
const WORDS: Record<string, string> = {
  not_in_register: 'We found no active company with this number. Please check it, or type the name instead.',
  company_deleted: 'We cannot take requests for this company here. Please send an e-mail to post@example.no.',
  no_answer: LATER,
  register_unavailable: LATER,
  temporarily_unavailable: LATER,
  rate_limited: LATER,
  request_in_progress: 'Your request is being sent already. Please wait a moment.',
};

/** What is wrong, for the visitor: the code decides, and for an invalid field the message continues its label. */
function explain(error: unknown, labels: Labels = {}): string {
  const { code, details } = error instanceof CrmError ? error : { code: 'no_answer', details: [] };
  const fields = details.filter(({ field }) => field in labels);
  if (code === 'invalid_request' && fields.length > 0) {
    return fields.map(({ field, message }) => `${labels[field]} ${message}.`).join(' ');
  }
  if (!(code in WORDS)) console.error(error);
  return WORDS[code] ?? OURS;
}

async function findUnits(crm: Crm, typed: string): Promise<Unit[]> {
  const [, number] = /^(?:NO)?\s*((?:\d\s*){9})(?:MVA)?$/i.exec(typed.trim()) ?? [];
  if (number === undefined) {
    const query = { q: typed, limit: 8 };
    return (await expectData(crm.GET('/register', { params: { query } }))).data;
  }
  const path = { orgNr: number.replaceAll(/\s/g, '') };
  return [(await expectData(crm.GET('/register/{orgNr}', { params: { path } }))).data];
}

/** @throws LeadError with words for the visitor */
async function submitLead(crm: Crm, lead: Lead): Promise<void> {
  const { submission, orgnr, name, email, telephone, message } = lead;
  // Not the id that the browser sends: it could be that of somebody else.
  const id = stableId('lead', submission);
  const path = { id };
  // A form that was corrected and sent again has another body, and so another key.
  const keyed = (body: object) => ({ 'Idempotency-Key': stableId(id, JSON.stringify(body)) });

  const lookup = { orgnr, status: 'lead' } as const;
  const { data: company } = await told(
    { orgnr: 'The number' },
    crm.POST('/companies', { params: { header: keyed(lookup) }, body: lookup }),
  );
  // The contact's id keeps it from being stored twice. With a key, a name sent before would get its first answer.
  const created = await crm.POST('/contacts', { body: { id, name } });
  const isThere = created.error?.code === 'id_already_used';
  const renamed = () => crm.PATCH('/contacts/{id}', { params: { path }, body: { name } });
  await told({ name: 'Your name' }, isThere ? renamed() : Promise.resolve(created));

  const point = async (label: string, type: 'email' | 'telephone', value: string) => {
    const body = { type, value };
    const params = { path, header: keyed(body) };
    if (value !== '') await told({ value: label }, crm.POST('/contacts/{id}/points', { params, body }));
  };
  await point('Your e-mail address', 'email', email);
  await point('Your telephone number', 'telephone', telephone);
  const link = { company_id: company.id };
  await told({}, crm.POST('/contacts/{id}/companies', { params: { path, header: keyed(link) }, body: link }));
  const note = { text: `${name} asks to be contacted.\n${message}` };
  const params = { path: { orgNr: orgnr }, header: keyed(note) };
  await told({ text: 'Your message' }, crm.POST('/companies/{orgNr}/notes', { params, body: note }));
}

async function told<T>(labels: Labels, call: Parameters<typeof expectData<T>>[0]): Promise<T> {
  try {
    return await expectData<T>(call);
  } catch (error) {
    throw new LeadError(explain(error, labels), { cause: error });
  }
}

export function createForm(crm: Crm): Server {
  return createServer((request, response) => {
    if (request.method === 'POST' && !(Number(request.headers['content-length']) < MAX_BODY)) {
      return void response.writeHead(413, { connection: 'close' }).end();
    }
    // Anybody can send a path that is no address, such as "//".
    const query = URL.parse(request.url ?? '/', 'http://localhost')?.searchParams;
    const page = request.method === 'POST' ? text(request).then(send) : find(query?.get('q') ?? '');
    page.then(
      (markup) => response.writeHead(200, PAGE).end(markup),
      () => response.destroy(), // the visitor has left
    );
    return undefined;
  });

  async function find(typed: string): Promise<string> {
    if (typed.trim() === '') return searchPage(typed);
    try {
      const units = await findUnits(crm, typed);
      if (units.length === 0) return searchPage(typed, 'We found no company of this name.');
      const [unit] = units;
      if (unit === undefined || units.length > 1) return searchPage(typed, '', units);
      if (unit.dissolved_on) return searchPage(typed, `${unit.name} was dissolved on ${unit.dissolved_on}.`);
      return leadPage({ ...BLANK, submission: randomUUID(), orgnr: unit.orgnr, company: unit.name });
    } catch (error) {
      return searchPage(typed, explain(error, { q: 'The name' }));
    }
  }

  async function send(body: string): Promise<string> {
    const lead: Lead = { ...BLANK, ...Object.fromEntries(new URLSearchParams(body)) };
    try {
      await submitLead(crm, lead);
      return thanksPage(lead.name);
    } catch (error) {
      return leadPage(lead, error instanceof LeadError ? error.message : explain(error));
    }
  }
}

if (import.meta.main) {
  // A visitor waits: what can be tried again only after more than three seconds is reported instead.
  const form = createForm(crmFromEnvironment({ attempts: 3, patience: 3 }));
  const port = Number(process.env['PORT'] ?? 8080);
  form.listen(port, () => console.log(`The form is at http://127.0.0.1:${port}`));
}
