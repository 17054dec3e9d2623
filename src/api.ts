// Every operation of the API and of the application, a line each. Probes, pages and openapi.json are in server.ts.
import { getActivity } from './activity/endpoints.ts';
import { getChanges } from './changes/endpoints.ts';
import { getHistory, getHistoryActors } from './changes/history-endpoints.ts';
import type { Waits } from './changes/waits.ts';
import { getRegisterUnit, searchRegister } from './companies/register-endpoints.ts';
import { getCompanyNames } from './companies/names-endpoints.ts';
import { getCompanies, getCompany, patchCompany, postCompany } from './companies/endpoints.ts';
import {
  archiveCompany,
  deleteCompany,
  restoreCompany,
  unarchiveCompany,
} from './companies/flag-endpoints.ts';
import {
  countCompanies,
  getCompanyCounts,
  getDeletion,
  getOverview,
} from './companies/overview-endpoints.ts';
import { deleteNote, getNotes, getTimeline, postNote, restoreNote } from './companies/timeline-endpoints.ts';
import { getContactCount, getMergePreview, mergeContacts } from './contacts/app-endpoints.ts';
import { asksForCompanies, getContactRows, getContacts } from './contacts/list-endpoints.ts';
import {
  deleteLink,
  deletePoint,
  getLinks,
  getPoints,
  patchLink,
  patchPoint,
  postLink,
  postPoint,
} from './contacts/details-endpoints.ts';
import { deleteContact, getContact, patchContact, postContact } from './contacts/endpoints.ts';
import type { Database } from './db/connect.ts';
import { companySheet, contactSheet, offerSheet, taskSheet } from './csv/columns.ts';
import { exportHistory } from './csv/export-history.ts';
import { exportList } from './csv/export-list.ts';
import { deleteDemo, getDemo, postDemo } from './demo/endpoints.ts';
import type { DemoRuns } from './demo/runs.ts';
import { endpoint, open } from './http/endpoint.ts';
import {
  beginImport,
  checkImport,
  getImport,
  getImportRows,
  getImports,
  guessImport,
  sendImportRows,
  undoImportRows,
} from './imports/endpoints.ts';
import { getMe } from './keys/endpoints.ts';
import { alsoNeeds, anyKey, anyRead, needs } from './keys/permissions.ts';
import { getUsers } from './members/endpoints.ts';
import { createdBy, role } from './members/roles.ts';
import { deleteOffer, restoreOffer } from './offers/app-endpoints.ts';
import {
  getOfferBoard,
  getOfferCard,
  getOfferCards,
  getOfferHistory,
  getOfferSums,
} from './offers/card-endpoints.ts';
import { getOffer, getOffers, patchOffer, postOffer } from './offers/endpoints.ts';
import { getWaitingOffers } from './offers/waiting-endpoints.ts';
import type { Register } from './register/register.ts';
import { search } from './search/endpoints.ts';
import {
  endOtherSessions,
  endSession,
  followWelcome,
  getSession,
  getSessions,
  moveToWorkspace,
  readWelcome,
  signIn,
  signOut,
} from './sessions/endpoints.ts';
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  getPasskeys,
  removePasskey,
  signInWithPasskey,
} from './sessions/passkey-endpoints.ts';
import { changePassword, patchProfile } from './sessions/profile-endpoints.ts';
import {
  addIdentity,
  beginIdentity,
  beginProviderSignIn,
  finishProviderSignIn,
  getIdentities,
  getMethods,
  removeIdentities,
} from './sessions/provider-endpoints.ts';
import type { Provider } from './sessions/provider.ts';
import { getKeys, postKey, postRevocation, postRotation } from './settings/key-endpoints.ts';
import { getMembers, patchMember, postInvitation, postReset } from './settings/member-endpoints.ts';
import { getLeaving, postRemoval } from './settings/removal-endpoints.ts';
import { patchWorkspace, postWorkspace } from './settings/workspace-endpoints.ts';
import { deleteTask, restoreTask } from './tasks/app-endpoints.ts';
import { getTaskGroups, getTaskRows } from './tasks/overview-endpoints.ts';
import { getTask, getTasks, patchTask, postTask } from './tasks/endpoints.ts';

/** What the operations are about, in the order the reference shows them. */
export const TAGS = {
  Account: 'The API key and what it may do.',
  Users: 'The members of the workspace: who tasks, offers and companies are assigned to.',
  Companies: 'Norwegian companies by organisation number, filled in from the register, and notes on them.',
  Register: 'Norwegian companies and other units. A company is created from one by its organisation number.',
  Contacts: 'People, how to reach them, and the companies they are linked to.',
  Tasks: 'What a member is to do, and when.',
  Offers: 'Sales opportunities at a company: value, probability and status.',
  Changes: 'What changed in the workspace, to keep another system in sync.',
};

const companiesReadWrite = needs('companies:read', 'companies:write');
const contactsAndShownCompaniesRead = alsoNeeds(needs('contacts:read'), 'companies:read', asksForCompanies);
const contactsReadWrite = needs('contacts:read', 'contacts:write');
const contactsAndCompaniesReadWrite = needs(
  'contacts:read',
  'contacts:write',
  'companies:read',
  'companies:write',
);
const tasksReadWrite = needs('tasks:read', 'tasks:write');
const offersReadWrite = needs('offers:read', 'offers:write');

/** Every operation of the API, in the order the reference shows them. */
export function api({ register, waits }: { register: Register; waits: Waits }) {
  return [
    endpoint('GET /me', anyKey, getMe),
    endpoint('GET /users', anyRead, getUsers),

    endpoint('GET /companies', needs('companies:read'), getCompanies),
    endpoint('POST /companies', companiesReadWrite, postCompany(register)),
    endpoint('GET /companies/{orgNr}', needs('companies:read'), getCompany),
    endpoint('PATCH /companies/{orgNr}', companiesReadWrite, patchCompany),
    endpoint('POST /companies/{orgNr}/notes', companiesReadWrite, postNote),
    endpoint('GET /companies/{orgNr}/timeline', needs('companies:read'), getTimeline),
    endpoint('GET /notes', needs('companies:read'), getNotes),

    endpoint('GET /register', needs('companies:read'), searchRegister(register)),
    endpoint('GET /register/{orgNr}', needs('companies:read'), getRegisterUnit(register)),

    endpoint('GET /contacts', contactsAndShownCompaniesRead, getContacts),
    endpoint('POST /contacts', contactsReadWrite, postContact),
    endpoint('GET /contacts/{id}', needs('contacts:read'), getContact),
    endpoint('PATCH /contacts/{id}', contactsReadWrite, patchContact),
    endpoint('DELETE /contacts/{id}', createdBy('admin', contactsReadWrite), deleteContact),
    endpoint('POST /contacts/{id}/points', contactsReadWrite, postPoint),
    endpoint('GET /contacts/{id}/points', needs('contacts:read'), getPoints),
    endpoint('PATCH /contacts/{id}/points/{pointId}', contactsReadWrite, patchPoint),
    endpoint('DELETE /contacts/{id}/points/{pointId}', contactsReadWrite, deletePoint),
    endpoint('POST /contacts/{id}/companies', contactsAndCompaniesReadWrite, postLink),
    endpoint('GET /contacts/{id}/companies', needs('contacts:read', 'companies:read'), getLinks),
    endpoint('PATCH /contacts/{id}/companies/{linkId}', contactsAndCompaniesReadWrite, patchLink),
    endpoint('DELETE /contacts/{id}/companies/{linkId}', contactsAndCompaniesReadWrite, deleteLink),

    endpoint('GET /tasks', needs('tasks:read'), getTasks),
    endpoint('POST /tasks', tasksReadWrite, postTask),
    endpoint('GET /tasks/{id}', needs('tasks:read'), getTask),
    endpoint('PATCH /tasks/{id}', tasksReadWrite, patchTask),

    endpoint('GET /offers', needs('offers:read'), getOffers),
    endpoint('POST /offers', offersReadWrite, postOffer),
    endpoint('GET /offers/{id}', needs('offers:read'), getOffer),
    endpoint('PATCH /offers/{id}', offersReadWrite, patchOffer),

    endpoint('GET /changes', anyRead, getChanges(waits)),
  ];
}

type Parts = {
  register: Register;
  waits: Waits;
  db: Database;
  provider: Provider | undefined;
  demoRuns: DemoRuns;
};

/** What people do in the application: all of the above, and what the API leaves out. Not for API keys. */
export function application({ db, provider, demoRuns, ...parts }: Parts) {
  return [
    ...api(parts),

    endpoint('GET /companies/overview', role('member'), getOverview),
    endpoint('GET /companies/overview/count', role('member'), countCompanies),
    endpoint('GET /companies/{orgNr}/counts', role('member'), getCompanyCounts),
    endpoint('GET /companies/{orgNr}/deletion', role('member'), getDeletion),
    endpoint('POST /companies/{orgNr}/archive', role('member'), archiveCompany),
    endpoint('POST /companies/{orgNr}/unarchive', role('member'), unarchiveCompany),
    endpoint('DELETE /companies/{orgNr}', role('admin'), deleteCompany),
    endpoint('POST /companies/{orgNr}/restore', role('admin'), restoreCompany),
    endpoint('DELETE /companies/{orgNr}/notes/{id}', role('member'), deleteNote),
    endpoint('POST /companies/{orgNr}/notes/{id}/restore', role('member'), restoreNote),
    endpoint('GET /tasks/groups', role('member'), getTaskGroups),
    endpoint('GET /tasks/rows', role('member'), getTaskRows),
    endpoint('GET /company-names', role('member'), getCompanyNames),

    endpoint('GET /contacts/count', role('member'), getContactCount),
    endpoint('GET /contacts/rows', role('member'), getContactRows),
    endpoint('GET /contacts/{id}/merge/{otherId}', role('admin'), getMergePreview),
    endpoint('POST /contacts/{id}/merge', role('admin'), mergeContacts),

    endpoint('DELETE /tasks/{id}', role('member'), deleteTask),
    endpoint('POST /tasks/{id}/restore', role('member'), restoreTask),
    endpoint('GET /offers/waiting', role('member'), getWaitingOffers),
    endpoint('GET /offers/board', role('member'), getOfferBoard),
    endpoint('GET /offers/sums', role('member'), getOfferSums()),
    endpoint('GET /offers/cards', role('member'), getOfferCards),
    endpoint('GET /offers/{id}/card', role('member'), getOfferCard),
    endpoint('GET /offers/{id}/history', role('member'), getOfferHistory),
    endpoint('DELETE /offers/{id}', role('member'), deleteOffer),
    endpoint('POST /offers/{id}/restore', role('member'), restoreOffer),

    endpoint('GET /companies.csv', role('member'), exportList(getOverview, companySheet)),
    endpoint('GET /contacts.csv', role('member'), exportList(getContacts, contactSheet)),
    endpoint('GET /tasks.csv', role('member'), exportList(getTasks, taskSheet)),
    endpoint('GET /offers.csv', role('member'), exportList(getOfferCards, offerSheet)),

    endpoint('POST /import-guesses', role('admin'), guessImport),
    endpoint('POST /import-checks', role('admin'), checkImport(parts.register)),
    endpoint('GET /imports', role('admin'), getImports),
    endpoint('POST /imports', role('admin'), beginImport),
    endpoint('GET /imports/{id}', role('admin'), getImport),
    endpoint('GET /imports/{id}/rows', role('admin'), getImportRows),
    endpoint('POST /imports/{id}/rows', role('admin'), sendImportRows(parts.register)),
    endpoint('POST /imports/{id}/undo', role('admin'), undoImportRows),

    endpoint('GET /keys', role('member'), getKeys),
    endpoint('POST /keys', role('member'), postKey(db)),
    endpoint('POST /keys/{id}/rotate', role('member'), postRotation(db)),
    endpoint('POST /keys/{id}/revoke', role('member'), postRevocation),
    endpoint('GET /members', role('member'), getMembers),
    endpoint('POST /members/invite', role('admin'), postInvitation(db)),
    endpoint('PATCH /members/{id}', role('owner'), patchMember),
    endpoint('GET /members/{id}/leaving', role('admin'), getLeaving),
    endpoint('POST /members/{id}/remove', role('admin'), postRemoval),
    endpoint('POST /members/{id}/reset', role('owner'), postReset(db)),
    endpoint('PATCH /workspace', role('owner'), patchWorkspace),
    endpoint('POST /workspaces', role('owner'), postWorkspace(db)),
    endpoint('GET /history', role('member'), getHistory),
    endpoint('GET /history/actors', role('member'), getHistoryActors),
    endpoint('GET /history/export', role('member'), exportHistory),
    endpoint('GET /activity', role('member'), getActivity),
    endpoint('GET /demo', role('member'), getDemo),
    endpoint('POST /demo', role('owner'), postDemo(demoRuns)),
    endpoint('DELETE /demo', role('owner'), deleteDemo(demoRuns)),
    endpoint('GET /search', role('member'), search),

    endpoint('GET /session', role('member'), getSession(db)),
    endpoint('POST /session/workspace', role('member'), moveToWorkspace(db)),
    endpoint('GET /sessions', role('member'), getSessions(db)),
    endpoint('DELETE /sessions/{id}', role('member'), endSession(db)),
    endpoint('POST /sessions/end-others', role('member'), endOtherSessions(db)),
    endpoint('PATCH /profile', role('member'), patchProfile(db)),
    endpoint('POST /profile/password', role('member'), changePassword(db)),
    endpoint('GET /passkeys', role('member'), getPasskeys(db)),
    endpoint('POST /passkeys/options', role('member'), beginPasskey(db)),
    endpoint('POST /passkeys', role('member'), addPasskey(db)),
    endpoint('DELETE /passkeys/{id}', role('member'), removePasskey(db, provider)),
    endpoint('GET /identities', role('member'), getIdentities(db, provider)),
    endpoint('POST /identities/begin', role('member'), beginIdentity(db, provider)),
    endpoint('POST /identities', role('member'), addIdentity(db, provider)),
    endpoint('DELETE /identities', role('member'), removeIdentities(db, provider)),
  ];
}

/** What a browser asks before anybody has signed in. */
export function entrance({ db, provider }: Pick<Parts, 'db' | 'provider'>) {
  return [
    open('POST /sign-in', signIn(db)),
    open('POST /sign-out', signOut(db)),
    open('GET /sign-in/methods', getMethods(provider)),
    open('POST /sign-in/passkey-options', beginPasskeySignIn(db)),
    open('POST /sign-in/passkey', signInWithPasskey(db)),
    open('POST /sign-in/provider', beginProviderSignIn(db, provider)),
    open('POST /sign-in/provider/finish', finishProviderSignIn(db, provider)),
    open('GET /welcome/{token}', readWelcome(db)),
    open('POST /welcome/{token}', followWelcome(db)),
  ];
}

/** Every operation of the application, for the types of its client. */
export type Application = ReturnType<typeof application>[number] | ReturnType<typeof entrance>[number];
