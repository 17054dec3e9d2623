/** Whether companies come from the sandbox, which has some fifty; the page says so. */
export const isSandbox =
  document.querySelector<HTMLMetaElement>('meta[name="register"]')?.content === 'sandbox';
