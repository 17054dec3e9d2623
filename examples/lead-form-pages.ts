// The pages of lead-form.ts: HTML, with everything escaped that somebody typed.
import type { Schemas } from './crm.ts';
import type { Lead } from './lead-form.ts';

export function searchPage(typed: string, problem = '', units: Schemas['RegisterUnit'][] = []): string {
  const found = units.map(
    ({ orgnr, name, org_form }) =>
      `<li><a href="?q=${orgnr}">${escape(name)}</a> ${orgnr.replace(/(...)(...)/, '$1 $2 ')} ${escape(org_form ?? '')}</li>`,
  );
  return page(`${alert(problem)}
    <form><label>Number or name of your company
      <input name="q" maxlength="100" required value="${escape(typed)}"></label>
      <button>Find</button></form>
    <ul>${found.join('')}</ul>`);
}

export function leadPage(lead: Lead, problem = ''): string {
  const hidden = (['submission', 'orgnr', 'company'] as const).map(
    (name) => `<input type="hidden" name="${name}" value="${escape(lead[name])}">`,
  );
  return page(`<h1>${escape(lead.company)}</h1><p>Organisation number ${escape(lead.orgnr)}</p>
    <p><a href="/">Another company</a></p>${alert(problem)}
    <form method="post" action="/">${hidden.join('')}
      <label>Your name <input name="name" maxlength="255" required value="${escape(lead.name)}"></label>
      <label>E-mail <input name="email" type="email" maxlength="254" required value="${escape(lead.email)}"></label>
      <label>Telephone <input name="telephone" type="tel" maxlength="64" value="${escape(lead.telephone)}"></label>
      <label>Message <textarea name="message" maxlength="10000">${escape(lead.message)}</textarea></label>
      <button>Send</button></form>`);
}

export function thanksPage(name: string): string {
  return page(`<p>Thank you, ${escape(name)}. We will be in touch.</p>`);
}

function page(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Contact us</title>${body}</html>`;
}

function alert(problem: string): string {
  return problem && `<p role="alert">${escape(problem)}</p>`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
