/** Whether the browser has passkeys here. At http none has, except for this machine. */
export function hasPasskeys(): boolean {
  return 'credentials' in navigator;
}
