import { randomBytes, randomInt, randomUUID, randomUUIDv7 } from 'node:crypto';
import { digestOf, newKey } from '../src/keys/key.ts';
import { ALL_PERMISSIONS, maskOf, type PermissionName } from '../src/keys/permissions.ts';
import { GENERATED_COUNT, generatedOrgnr } from './generated-orgnr.ts';
import type { Role } from '../src/members/roles.ts';
import type { Client } from './client.ts';

type Member = { id: string; email: string; first_name: string; last_name: string };

type Key = { id: string; token: string; client: Client };

/** A workspace of one test, with shortcuts to what most tests need in it. */
export type Workspace = {
  id: string;
  owner: Member;
  /** The second person of the workspace. */
  member: Member;
  /** Speaks with a key of the owner that grants everything. */
  client: Client;
  /** Mints a key; `permissions` are names or a mask. */
  key: (
    permissions?: readonly PermissionName[] | number,
    more?: { user?: Member; expiresAt?: Date; revoked?: boolean },
  ) => Promise<Key>;
  addMember: (person?: Partial<Member>, role?: Role) => Promise<Member>;
  removeMember: (person: Member) => Promise<void>;
  /** A browser in which a person is signed in, the owner unless another is named. */
  signIn: (person?: Member) => Promise<Client>;
  /** The token of a new session, for the cookie `kundebok_session` of a real browser. */
  sessionOf: (person?: Member) => Promise<string>;
  /** Each creates one over the API and gives back its `data`. */
  company: (fields?: object) => Promise<Row>;
  contact: (fields?: object) => Promise<Row>;
  task: (fields?: object) => Promise<Row>;
  offer: (fields?: object) => Promise<Row>;
  /** What the application does and the API does not. */
  deleteCompany: (orgnr: string) => Promise<void>;
  archiveCompany: (orgnr: string) => Promise<void>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- an answer's `data`, of whatever resource
type Row = any;
type Query = (text: string, values?: unknown[]) => Promise<Row[]>;

let issued = randomInt(GENERATED_COUNT / 2);

/** An organisation number that the sandbox register knows and no other call in this file has given. */
export function freshOrgnr(): string {
  return generatedOrgnr(issued++);
}

type Clients = { client: (token: string) => Client; browser: (session: string) => Client };

export async function createWorkspace(query: Query, clients: Clients): Promise<Workspace> {
  const id = randomUUID();
  await query('insert into workspaces (id, name) values ($1, $2)', [id, 'Prøve AS']);

  async function addMember(person: Partial<Member> = {}, role: Role = 'member'): Promise<Member> {
    const unique = randomBytes(6).toString('hex');
    const member = {
      id: randomUUIDv7(),
      email: `${unique}@example.no`,
      first_name: 'Kari',
      last_name: 'Nordmann',
      ...person,
    };
    await query('insert into users (id, email, first_name, last_name) values ($1, $2, $3, $4)', [
      member.id,
      member.email,
      member.first_name,
      member.last_name,
    ]);
    await query('insert into memberships (tenant_id, user_id, role) values ($1, $2, $3)', [
      id,
      member.id,
      role,
    ]);
    return member;
  }

  const owner = await addMember({ first_name: 'Ola' }, 'owner');
  const member = await addMember();

  const key: Workspace['key'] = async (permissions = ALL_PERMISSIONS, more = {}) => {
    const { id: keyId, token } = newKey();
    await query(
      `insert into api_keys (tenant_id, id, user_id, name, digest, permissions, expires_at, revoked_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        id,
        keyId,
        (more.user ?? owner).id,
        'test',
        digestOf(token),
        typeof permissions === 'number' ? permissions : maskOf(permissions),
        more.expiresAt ?? null,
        more.revoked ? new Date() : null,
      ],
    );
    return { id: keyId, token, client: clients.client(token) };
  };

  const { client } = await key();

  async function created(path: string, body: object): Promise<Row> {
    const answer = await client.post(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} was answered ${answer.status} ${answer.text}`);
    return answer.body.data;
  }

  const company = (fields = {}) => created('/companies', { orgnr: freshOrgnr(), ...fields });
  const change = (column: string) => async (orgnr: string) => {
    const rows = await query(
      `update companies set ${column} = true where tenant_id = $1 and orgnr = $2 returning id`,
      [id, orgnr],
    );
    if (rows.length !== 1) throw new Error(`company ${orgnr} is not there`);
  };

  async function sessionOf(person: Member): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    // Used just now, so that no request records it, which takes a lock.
    await query(
      'update memberships set joined_at = now(), last_used_at = now() where tenant_id = $1 and user_id = $2',
      [id, person.id],
    );
    await query(
      `insert into sessions (id, digest, user_id, tenant_id, user_agent, network, expires_at)
       values ($1, $2, $3, $4, 'test', 'test', now() + interval '1 day')`,
      [randomUUIDv7(), digestOf(token), person.id, id],
    );
    return token;
  }

  return {
    id,
    owner,
    member,
    client,
    key,
    addMember,
    async removeMember(person) {
      await query('update memberships set removed_at = now() where tenant_id = $1 and user_id = $2', [
        id,
        person.id,
      ]);
    },
    async signIn(person = owner) {
      return clients.browser(await sessionOf(person));
    },
    sessionOf: (person = owner) => sessionOf(person),
    company,
    contact: (fields = {}) => created('/contacts', { name: 'Kari Nordmann', ...fields }),
    task: (fields = {}) =>
      created('/tasks', { user_id: owner.id, title: 'Ring', due_date: '2026-01-15T09:00:00Z', ...fields }),
    async offer(fields: { company_id?: string } = {}) {
      const company_id = fields.company_id ?? (await company()).id;
      return created('/offers', { user_id: owner.id, title: 'Avtale', ...fields, company_id });
    },
    deleteCompany: change('is_deleted'),
    archiveCompany: change('is_archived'),
  };
}
