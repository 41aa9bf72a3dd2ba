/**
 * Every error code of the API with its HTTP status and the i18n key of its message.
 * Spec: "Errors"; the codes below the line are Keelson's own additions.
 */
export const ERROR_CATALOGUE = {
  VALIDATION_ERROR: { status: 400, message: 'error.validation', text: 'The request is not valid' },
  UNAUTHORIZED: { status: 401, message: 'error.unauthorized', text: 'Authentication is required' },
  FORBIDDEN: { status: 403, message: 'error.forbidden', text: 'Permission denied' },
  TENANT_FORBIDDEN: { status: 403, message: 'error.tenant_forbidden', text: 'Not a member of this tenant' },
  NOT_FOUND: { status: 404, message: 'error.not_found', text: 'Not found' },
  RATE_LIMITED: { status: 429, message: 'error.rate_limited', text: 'Too many requests' },
  INTERNAL_ERROR: { status: 500, message: 'error.internal', text: 'Internal error' },
  // ---
  METHOD_NOT_ALLOWED: { status: 405, message: 'error.method_not_allowed', text: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, message: 'error.not_acceptable', text: 'Answers are JSON' },
  REQUEST_TIMEOUT: { status: 408, message: 'error.request_timeout', text: 'The request did not arrive in time' },
  HEADERS_TOO_LARGE: { status: 431, message: 'error.headers_too_large', text: 'The URL or the headers are too long' },
  FOUR_EYES_REQUIRED: { status: 403, message: 'error.four_eyes_required', text: 'A second person must agree' },
  CONFLICT: { status: 409, message: 'error.conflict', text: 'Conflict with the current state' },
  ENVIRONMENT_LOCKED: { status: 409, message: 'error.environment_locked', text: 'The environment is locked' },
  PROMOTION_CONFLICT: { status: 409, message: 'error.promotion_conflict', text: 'The promotion has open conflicts' },
  PROMOTION_STATE: { status: 409, message: 'error.promotion_state', text: 'Not possible in this state' },
  STALE_PLAN: { status: 409, message: 'error.stale_plan', text: 'The plan no longer holds' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'error.payload_too_large', text: 'The request body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'error.unsupported_media_type', text: 'Unsupported content type' },
  BAD_GATEWAY: { status: 502, message: 'error.bad_gateway', text: 'Another service gives no usable answer' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'error.service_unavailable', text: 'Temporarily unavailable' },
} as const;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CATALOGUE, code);
}
