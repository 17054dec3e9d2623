import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generatedOrgnr } from './generated-orgnr.ts';
import { generatedUnit } from '../src/register/sandbox/generated.ts';
import { cuttingOff } from './register-misbehaviour.ts';
import { deletedRecordOf, fullSubUnitRecord, recordOf } from './register-records.ts';
import { startRegisterServer, type RegisterServer } from './register-server.ts';

const UNITS = [0, 1, 2].map(generatedOrgnr).map(generatedUnit);
const BRANCH = fullSubUnitRecord('311777777');

let server: RegisterServer;

beforeEach(async () => {
  server = await startRegisterServer();
  server.hold(...UNITS.map(recordOf), BRANCH);
});

afterEach(() => server.stop());

function ask(path: string, accept = '*/*'): Promise<Response> {
  return fetch(server.baseUrl + path, { headers: { accept } });
}

function announce(day: number, type: 'Ny' | 'Endring' | 'Fjernet', kind?: 'underenheter'): number {
  const dato = `2026-09-${day}T05:01:31.544Z`;
  return server.announce({ dato, organisasjonsnummer: UNITS[0]!.orgnr, endringstype: type }, kind);
}

async function page(query: string): Promise<unknown> {
  return (await ask(`/oppdateringer/${query}`)).json();
}

describe("the stand-in's units", () => {
  const enhet = 'application/vnd.brreg.enhetsregisteret.enhet.v2+json';

  it('come in their own media type', async () => {
    const response = await ask(`/enheter/${UNITS[0]!.orgnr}`, enhet);
    expect(response.headers.get('content-type')).toBe(`${enhet};charset=UTF-8`);
    expect(await response.json()).toMatchObject({ respons_klasse: 'Enhet', navn: UNITS[0]!.name });
  });

  it.each(['application/json', enhet.replace('v2', 'v1'), enhet.replace('enhet.v', 'underenhet.v')])(
    'are refused to those who accept %s',
    async (accept) => {
      expect((await ask(`/enheter/${UNITS[0]!.orgnr}`, accept)).status).toBe(406);
    },
  );

  it('that are not there are answered with 404 and no body', async () => {
    const response = await ask(`/enheter/${BRANCH.organisasjonsnummer}`, enhet);
    expect([response.status, await response.text()]).toEqual([404, '']);
  });

  it('are asked for by nine digits', async () => {
    const response = await ask('/enheter/12345', enhet);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 400, antallFeil: 1 });
  });
});

describe("the stand-in's whole register", () => {
  const gzip = 'application/vnd.brreg.enhetsregisteret.enhet.v2+gzip';

  it('is a packed, pretty-printed array of the active units', async () => {
    server.hold(
      deletedRecordOf({ orgnr: '304444444', name: 'SLETTET AS', org_form: 'AS', on: '2024-03-09' }),
    );
    const response = await ask('/enheter/lastned', gzip);
    expect(response.headers.get('content-encoding')).toBeNull();
    const text = gunzipSync(await response.arrayBuffer()).toString();
    expect(text).toMatch(/^\[\n {2}\{\n[^]*\}\n\]$/);
    expect(JSON.parse(text)).toEqual(UNITS.map(recordOf));
  });

  it('is kept apart from the branches', async () => {
    const response = await ask('/underenheter/lastned', gzip.replace('enhet.v', 'underenhet.v'));
    expect(JSON.parse(gunzipSync(await response.arrayBuffer()).toString())).toEqual([BRANCH]);
    expect((await ask('/enheter/lastned', 'application/json')).status).toBe(406);
  });

  it('can break off part-way', async () => {
    server.misbehave(cuttingOff('chunked'), { path: 'lastned' });
    const response = await ask('/enheter/lastned', gzip);
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
  });
});

describe("the stand-in's feed of changes", () => {
  it('begins with the id or the instant asked for', async () => {
    const ids = [announce(21, 'Ny'), announce(22, 'Endring'), announce(23, 'Fjernet')];
    const [, second, third] = ids;
    const lastTwo = {
      _embedded: { oppdaterteEnheter: [{ oppdateringsid: second }, { oppdateringsid: third }] },
      page: { size: 10, totalElements: 2, totalPages: 1, number: 0 },
    };
    expect(await page(`enheter?oppdateringsid=${second}&size=10`)).toMatchObject(lastTwo);
    expect(await page(`enheter?oppdateringsid=${second! - 1}&size=10`)).toMatchObject(lastTwo);
    expect(await page('enheter?dato=2026-09-22T05:01:31.544Z&size=10')).toMatchObject(lastTwo);
    expect(await page('enheter?size=1&page=2')).toMatchObject({
      _embedded: { oppdaterteEnheter: [{ oppdateringsid: third, endringstype: 'Fjernet' }] },
    });
  });

  it('has nothing embedded in an empty page', async () => {
    const id = announce(21, 'Ny');
    const empty = await page(`enheter?oppdateringsid=${id + 1}&size=100`);
    expect(empty).toEqual({
      _links: { self: { href: expect.stringContaining(`oppdateringsid=${id + 1}`) } },
      page: { size: 100, totalElements: 0, totalPages: 0, number: 0 },
    });
  });

  it('keeps branches apart and refuses a page that is too large', async () => {
    announce(21, 'Ny');
    const id = announce(22, 'Ny', 'underenheter');
    expect(await page('underenheter')).toMatchObject({
      _embedded: { oppdaterteUnderenheter: [{ oppdateringsid: id }] },
    });
    expect((await ask('/oppdateringer/enheter?size=10001')).status).toBe(400);
  });
});
