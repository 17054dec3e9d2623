import { settingsForCommands } from '../config.ts';
import { BASE_PATH } from '../http/mount.ts';
import type { First } from './first-key.ts';

/** What a start prints: the addresses, and on the first start how to call the service. */
export function banner(options: {
  /** For example http://127.0.0.1:3000. */
  address: string;
  /** Where the data are: a folder, or a description. */
  data: string;
  /** What this start created, if anything. */
  first: First | undefined;
  register: string;
  /** The id of a workspace. */
  workspace: string | undefined;
}): string {
  const { address, data, first, register, workspace } = options;
  const base = `${address}${BASE_PATH}`;
  const lines = [
    'Kundebok is ready.',
    '',
    `  Application ${address}`,
    `  API         ${base}`,
    `  Reference   ${address}/docs`,
    `  Data        ${data}`,
    `  Companies   from the ${register}`,
  ];
  return [...lines, '', ...(first ? firstSteps(address, base, first) : later(workspace)), ''].join('\n');
}

function later(workspace = 'ID'): string[] {
  const command = [...settingsForCommands(), 'bin/kundebok user invite'].join(' ');
  return [
    'People sign in to the application. To print a link for an owner without an account, run this with the settings of the service:',
    '',
    `  ${command} --workspace ${workspace} --role owner --email you@example.no`,
    '',
    'API keys are created in the application, or with: bin/kundebok key create --help',
  ];
}

function firstSteps(address: string, base: string, { key, linkPath }: First): string[] {
  return [
    'Open this link to create your account in the application. It works once, within a week:',
    '',
    `  ${address}${linkPath}`,
    '',
    'A first workspace was created, with an API key that has all permissions. The key is shown only now:',
    '',
    `  ${key}`,
    '',
    'Paste these to check the key, create Equinor from its organisation number, and read it back:',
    '',
    `  curl -H 'Authorization: Bearer ${key}' ${base}/me`,
    `  curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"orgnr":"923609016"}' ${base}/companies`,
    `  curl -H 'Authorization: Bearer ${key}' ${base}/companies/923609016`,
  ];
}
