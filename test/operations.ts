import { randomUUID } from 'node:crypto';
import { CONTACT_OPERATIONS } from './contact-operations.ts';
import { lookup, type Operation } from './operation.ts';
import {
  CHANGE,
  COMPANY,
  companyFields,
  id,
  NOTE,
  OFFER,
  offerFields,
  REGISTER_UNIT,
  required,
  TASK,
  taskFields,
  withRequired,
} from './operation-fields.ts';
import { LISTS } from './list-operations.ts';
import { freshOrgnr, type Workspace } from './workspace.ts';

const companyPath = async (workspace: Workspace) => `/companies/${(await workspace.company()).orgnr}`;

/** Every operation of the API. */
export const OPERATIONS: readonly Operation[] = [
  ...LISTS,
  {
    route: 'GET /me',
    needs: [],
    success: 200,
    fails: [],
    shows: ['tenant_id', 'user_id', 'permissions'],
    path: async () => '/me',
  },
  {
    route: 'GET /users',
    needs: 'anyRead',
    success: 200,
    fails: [],
    shows: ['id', 'email', 'first_name', 'last_name'],
    list: true,
    paged: true,
    path: async () => '/users',
  },
  {
    route: 'GET /companies',
    needs: ['companies:read'],
    success: 200,
    fails: [],
    shows: COMPANY,
    list: true,
    paged: true,
    async path(workspace) {
      await workspace.company();
      return '/companies';
    },
  },
  {
    route: 'POST /companies',
    needs: ['companies:read', 'companies:write'],
    success: 201,
    fails: ['invalid_reference', 'company_deleted', 'not_in_register', 'register_unavailable'],
    body: { orgnr: { is: 'orgnr', ...required }, ...companyFields },
    shows: COMPANY,
    path: async () => '/companies',
    sample: async ({ member }) => ({
      orgnr: freshOrgnr(),
      status: 'customer',
      assigned_to: member.id,
      email_address: 'post@example.no',
      phone_number: '00 00 00 01',
      mobile_number: '000 00 002',
      website_url: 'www.example.no',
    }),
  },
  lookup('GET /companies/{orgNr}', 'companies:read', COMPANY, companyPath),
  {
    route: 'PATCH /companies/{orgNr}',
    needs: ['companies:read', 'companies:write'],
    success: 200,
    fails: ['precondition_failed', 'not_found', 'invalid_reference'],
    body: companyFields,
    shows: COMPANY,
    path: companyPath,
    sample: async ({ owner }) => ({
      status: 'lead',
      assigned_to: owner.id,
      email_address: 'ny@example.no',
      phone_number: '00 00 00 03',
      mobile_number: '000 00 004',
      website_url: 'ny.example.no',
    }),
  },
  {
    route: 'POST /companies/{orgNr}/notes',
    needs: ['companies:read', 'companies:write'],
    success: 201,
    fails: ['not_found'],
    body: { text: { is: 'text', longest: 20_000, ...required } },
    shows: NOTE,
    path: async (workspace) => `${await companyPath(workspace)}/notes`,
    sample: async () => ({ text: 'Ringte, ringer igjen' }),
  },
  {
    route: 'GET /register',
    needs: ['companies:read'],
    success: 200,
    fails: ['register_unavailable'],
    shows: REGISTER_UNIT,
    list: true,
    path: async () => '/register?q=kongs',
  },
  {
    route: 'GET /register/{orgNr}',
    needs: ['companies:read'],
    success: 200,
    fails: ['not_in_register', 'register_unavailable'],
    shows: REGISTER_UNIT,
    shared: true,
    path: async (workspace) => `/register/${(await workspace.company()).orgnr}`,
  },
  ...CONTACT_OPERATIONS,
  {
    route: 'POST /tasks',
    needs: ['tasks:read', 'tasks:write'],
    success: 201,
    fails: ['invalid_reference', 'id_already_used'],
    body: { id, ...withRequired(taskFields, 'title', 'due_date', 'user_id') },
    shows: TASK,
    path: async () => '/tasks',
    sample: async (workspace) => ({
      id: randomUUID(),
      title: 'Ring om fornyelse',
      description: 'Avtalen går ut',
      due_date: '2026-01-15T10:00:00+01:00',
      has_time_specified: false,
      user_id: workspace.member.id,
      related_company_id: (await workspace.company()).id,
    }),
  },
  lookup('GET /tasks/{id}', 'tasks:read', TASK, taskPath),
  {
    route: 'PATCH /tasks/{id}',
    needs: ['tasks:read', 'tasks:write'],
    success: 200,
    fails: ['precondition_failed', 'not_found', 'invalid_reference'],
    body: { ...taskFields, completed: { is: 'boolean' } },
    shows: TASK,
    path: taskPath,
    sample: async (workspace) => ({
      title: 'Ring igjen',
      description: 'Ikke svar',
      due_date: '2026-01-16T09:00:00Z',
      has_time_specified: false,
      user_id: workspace.member.id,
      related_company_id: (await workspace.company()).id,
      completed: true,
    }),
  },
  {
    route: 'POST /offers',
    needs: ['offers:read', 'offers:write'],
    success: 201,
    fails: ['invalid_reference', 'id_already_used'],
    body: { id, ...withRequired(offerFields, 'title', 'user_id', 'company_id') },
    shows: OFFER,
    path: async () => '/offers',
    sample: async (workspace) => ({ id: randomUUID(), ...(await offerSample(workspace)) }),
  },
  lookup('GET /offers/{id}', 'offers:read', OFFER, offerPath),
  {
    route: 'PATCH /offers/{id}',
    needs: ['offers:read', 'offers:write'],
    success: 200,
    fails: ['precondition_failed', 'not_found', 'invalid_reference', 'status_conflict'],
    body: offerFields,
    shows: OFFER,
    path: offerPath,
    sample: offerSample,
  },
  {
    route: 'GET /changes',
    needs: 'anyRead',
    success: 200,
    fails: ['cursor_expired'],
    shows: CHANGE,
    list: true,
    async path(workspace) {
      await workspace.company();
      return '/changes';
    },
  },
];

async function taskPath(workspace: Workspace): Promise<string> {
  return `/tasks/${(await workspace.task()).id}`;
}

async function offerPath(workspace: Workspace): Promise<string> {
  return `/offers/${(await workspace.offer()).id}`;
}

async function offerSample(workspace: Workspace): Promise<Record<string, unknown>> {
  return {
    title: 'Serviceavtale',
    description: 'Tre år',
    company_id: (await workspace.company()).id,
    user_id: workspace.member.id,
    status: 'sent',
    one_time_revenue: 50_000,
    recurring_revenue: 1_500,
    recurring_frequency: 'yearly',
    weight: 70,
  };
}
