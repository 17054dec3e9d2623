/** What a mail program is handed: an address, whatever characters it has, and nothing else. */
export function mailAddress(value: string): string {
  return `mailto:${encodeURIComponent(value).replace('%40', '@')}`;
}
