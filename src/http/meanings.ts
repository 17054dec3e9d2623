import type { ProblemCode } from './problem.ts';

/** What each problem code means to a caller, for the description of the interface. */
export const MEANINGS: Record<ProblemCode, string> = {
  malformed_request: 'The request is not valid HTTP',
  malformed_json: 'The body is not JSON, is empty, or is not an object',
  invalid_request: 'A path, query or body value breaks its rule, or a field is unknown or given twice',
  invalid_reference:
    'The body names a user or company that is not in the workspace, or a company that is deleted',
  unauthorized: 'No API key, or one that is malformed, unknown, expired or revoked',
  forbidden: 'The API key lacks a permission, which the text names',
  not_found: 'The path names nothing in this workspace',
  method_not_allowed: 'The path does not take this method; Allow lists those it takes',
  request_timeout: 'The request did not arrive in time',
  id_already_used: 'The id was used before; read it to check the earlier request',
  company_deleted: 'The company is deleted; it is restored in the application',
  status_conflict: 'The status changed during the request; read the offer before retrying',
  limit_reached: 'The contact has its 1000 contact details or 1000 company links; nothing was added',
  request_in_progress: 'A request with this Idempotency-Key is under way; repeat it as Retry-After says',
  cursor_expired:
    'The cursor is older than what is kept, or the database was restored; read everything again',
  erased: 'The answer to this Idempotency-Key held a person who has been erased',
  precondition_failed: 'The resource is not as If-Match says; nothing was changed',
  idempotency_key_reused: 'The Idempotency-Key was sent before with another operation or body',
  payload_too_large: 'The body is larger than 256 KiB',
  uri_too_long: 'The address is longer than 8 KiB',
  unsupported_media_type: 'The body is not application/json in UTF-8, or has a Content-Encoding',
  not_in_register: 'The organisation number is not in the register, or was deleted or removed from it',
  rate_limited: 'Too many requests; wait as Retry-After says',
  headers_too_large: 'The headers are larger than 16 KiB',
  internal_error: 'The request failed; for a write, check the outcome before retrying',
  not_implemented: 'The service does not support this Transfer-Encoding',
  temporarily_unavailable: 'The service is temporarily unavailable; wait as Retry-After says',
  register_unavailable: 'The register is unavailable, so nothing was created; wait as Retry-After says',
};
