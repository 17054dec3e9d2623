/** On every response: a browser neither renders it as a page, nor frames it, nor sends a referrer. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** On responses over TLS: two years, as browsers' preload lists require. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=63072000';
