import { randomUUID } from 'node:crypto';
import { lookup, type Operation } from './operation.ts';
import {
  CONTACT,
  contactFields,
  id,
  LINK,
  nullable,
  POINT,
  required,
  title,
  withRequired,
} from './operation-fields.ts';
import type { Workspace } from './workspace.ts';

const contactPath = async (workspace: Workspace) => `/contacts/${(await workspace.contact()).id}`;

/** The operations on contacts, their details and company links. */
export const CONTACT_OPERATIONS: readonly Operation[] = [
  {
    route: 'POST /contacts',
    needs: ['contacts:read', 'contacts:write'],
    success: 201,
    fails: ['id_already_used'],
    body: { id, ...withRequired(contactFields, 'name') },
    shows: CONTACT,
    path: async () => '/contacts',
    sample: async () => ({ id: randomUUID(), name: 'Kari Nordmann', notes: 'Traff på messe' }),
  },
  lookup('GET /contacts/{id}', 'contacts:read', CONTACT, contactPath),
  {
    route: 'PATCH /contacts/{id}',
    needs: ['contacts:read', 'contacts:write'],
    success: 200,
    fails: ['precondition_failed', 'not_found'],
    body: contactFields,
    shows: CONTACT,
    path: contactPath,
    sample: async () => ({ name: 'Kari Hansen', notes: 'Byttet navn' }),
  },
  {
    route: 'DELETE /contacts/{id}',
    needs: ['contacts:read', 'contacts:write'],
    success: 204,
    fails: ['precondition_failed', 'not_found'],
    shows: [],
    path: contactPath,
  },
  {
    route: 'POST /contacts/{id}/points',
    needs: ['contacts:read', 'contacts:write'],
    success: 201,
    fails: ['precondition_failed', 'not_found', 'limit_reached'],
    body: {
      type: { is: 'choice', of: ['email', 'mobile', 'telephone', 'other'], ...required },
      value: { ...title, ...required },
      label: { is: 'text', longest: 255, blank: true },
    },
    shows: POINT,
    path: async (workspace) => `${await contactPath(workspace)}/points`,
    sample: async () => ({ type: 'telephone', value: '00 00 00 05', label: 'Kontor' }),
  },
  {
    route: 'GET /contacts/{id}/points',
    needs: ['contacts:read'],
    success: 200,
    fails: ['not_found'],
    shows: POINT,
    list: true,
    async path(workspace) {
      const path = `${await contactPath(workspace)}/points`;
      await workspace.client.post(path, { type: 'mobile', value: '000 00 006' });
      return path;
    },
  },
  {
    route: 'PATCH /contacts/{id}/points/{pointId}',
    needs: ['contacts:read', 'contacts:write'],
    success: 200,
    fails: ['precondition_failed', 'not_found'],
    body: {
      type: { is: 'choice', of: ['email', 'mobile', 'telephone', 'other'] },
      value: title,
      label: { is: 'text', longest: 255, blank: true },
    },
    shows: POINT,
    path: pointPath,
    sample: async () => ({ type: 'telephone', value: '00 00 00 07', label: 'Hytta' }),
  },
  {
    route: 'DELETE /contacts/{id}/points/{pointId}',
    needs: ['contacts:read', 'contacts:write'],
    success: 204,
    fails: ['precondition_failed', 'not_found'],
    shows: [],
    path: pointPath,
  },
  {
    route: 'POST /contacts/{id}/companies',
    needs: ['contacts:read', 'contacts:write', 'companies:read', 'companies:write'],
    success: 201,
    fails: ['precondition_failed', 'not_found', 'invalid_reference', 'limit_reached'],
    body: {
      company_id: { is: 'uuid', names: 'company', ...required },
      role: { is: 'text', longest: 255, blank: true, ...nullable },
    },
    shows: LINK,
    path: async (workspace) => `${await contactPath(workspace)}/companies`,
    sample: async (workspace) => ({ company_id: (await workspace.company()).id, role: 'Daglig leder' }),
  },
  {
    route: 'GET /contacts/{id}/companies',
    needs: ['contacts:read', 'companies:read'],
    success: 200,
    fails: ['not_found'],
    shows: LINK,
    list: true,
    async path(workspace) {
      const path = `${await contactPath(workspace)}/companies`;
      await workspace.client.post(path, { company_id: (await workspace.company()).id });
      return path;
    },
  },
  {
    route: 'PATCH /contacts/{id}/companies/{linkId}',
    needs: ['contacts:read', 'contacts:write', 'companies:read', 'companies:write'],
    success: 200,
    fails: ['precondition_failed', 'not_found', 'invalid_reference'],
    body: {
      company_id: { is: 'uuid', names: 'company' },
      role: { is: 'text', longest: 255, blank: true, ...nullable },
    },
    shows: LINK,
    path: linkPath,
    sample: async (workspace) => ({ company_id: (await workspace.company()).id, role: 'Styreleder' }),
  },
  {
    route: 'DELETE /contacts/{id}/companies/{linkId}',
    needs: ['contacts:read', 'contacts:write', 'companies:read', 'companies:write'],
    success: 204,
    fails: ['precondition_failed', 'not_found'],
    shows: [],
    path: linkPath,
  },
];

async function pointPath(workspace: Workspace): Promise<string> {
  const path = `${await contactPath(workspace)}/points`;
  const { body } = await workspace.client.post(path, { type: 'other', value: 'x', label: 'Merke' });
  return `${path}/${body.data.id}`;
}

async function linkPath(workspace: Workspace): Promise<string> {
  const path = `${await contactPath(workspace)}/companies`;
  const { body } = await workspace.client.post(path, { company_id: (await workspace.company()).id });
  return `${path}/${body.data.id}`;
}
