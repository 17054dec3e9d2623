/** What a start prints: the addresses, and on the first start how to call the service. */
export function banner(options: {
  /** Base address, for example http://127.0.0.1:3000/api/v1. */
  address: string;
  /** Where the data are: a folder, or words. */
  data: string;
  /** The key created by this start, if any. */
  key: string | undefined;
  register: string;
}): string {
  const { address, data, key, register } = options;
  const lines = [
    'Kundebok is ready.',
    '',
    `  Interface   ${address}`,
    `  Reference   ${new URL('/docs', address).href}`,
    `  Data        ${data}`,
    `  Companies   from ${register}`,
  ];
  return [...lines, '', ...(key === undefined ? later() : firstSteps(address, key)), ''].join('\n');
}

function later(): string[] {
  return [
    'To create an API key, look up workspace and user with: bin/kundebok user list',
    'then see: bin/kundebok key create --help',
  ];
}

function firstSteps(address: string, key: string): string[] {
  return [
    'A first workspace is made, with one API key for all of it. The key is shown this once:',
    '',
    `  ${key}`,
    '',
    'Paste these to check the key, create Equinor from its organisation number, and read it back:',
    '',
    `  curl -H 'Authorization: Bearer ${key}' ${address}/me`,
    `  curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"orgnr":"923609016"}' ${address}/companies`,
    `  curl -H 'Authorization: Bearer ${key}' ${address}/companies/923609016`,
  ];
}
