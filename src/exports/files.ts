import { companySheet, contactSheet, offerSheet, taskSheet } from './columns.ts';

/** The lists that are exported, each with the name of its file. */
export const companiesFile = {
  operationId: 'exportCompanies',
  fileName: 'companies',
  tag: 'Companies',
  sheet: companySheet,
};
export const contactsFile = {
  operationId: 'exportContacts',
  fileName: 'contacts',
  tag: 'Contacts',
  sheet: contactSheet,
  more: { include: 'points,links' },
};
export const tasksFile = { operationId: 'exportTasks', fileName: 'tasks', tag: 'Tasks', sheet: taskSheet };
export const offersFile = {
  operationId: 'exportOffers',
  fileName: 'offers',
  tag: 'Offers',
  sheet: offerSheet,
};
