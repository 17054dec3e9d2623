/** On every answer: a browser that is led here shows nothing, embeds nothing and tells nobody where it was. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** On answers that came over TLS: two years, as browsers' preload lists ask. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=63072000';
