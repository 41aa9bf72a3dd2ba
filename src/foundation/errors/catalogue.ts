/**
 * Every error code of the API with its HTTP status and the i18n key of its message.
 * Spec: "Errors"; the codes below the line are Keelson's own additions.
 */
export const ERROR_CATALOGUE = {
  VALIDATION_ERROR: {
    status: 400,
    message: 'error.validation',
    text: { en: 'The request is not valid', zhCn: '请求无效' },
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'error.unauthorized',
    text: { en: 'Authentication is required', zhCn: '需要身份验证' },
  },
  FORBIDDEN: { status: 403, message: 'error.forbidden', text: { en: 'Permission denied', zhCn: '没有权限' } },
  TENANT_FORBIDDEN: {
    status: 403,
    message: 'error.tenant_forbidden',
    text: { en: 'Not a member of this tenant', zhCn: '不是该租户的成员' },
  },
  NOT_FOUND: { status: 404, message: 'error.not_found', text: { en: 'Not found', zhCn: '未找到' } },
  RATE_LIMITED: { status: 429, message: 'error.rate_limited', text: { en: 'Too many requests', zhCn: '请求过于频繁' } },
  INTERNAL_ERROR: { status: 500, message: 'error.internal', text: { en: 'Internal error', zhCn: '内部错误' } },
  // ---
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'error.method_not_allowed',
    text: { en: 'Method not allowed', zhCn: '不支持该方法' },
  },
  NOT_ACCEPTABLE: {
    status: 406,
    message: 'error.not_acceptable',
    text: { en: 'Answers are JSON', zhCn: '响应格式只有 JSON' },
  },
  EXPRESSION_LIMIT: {
    status: 400,
    message: 'error.expression_limit',
    text: { en: 'An expression takes too many steps', zhCn: '表达式步数过多' },
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'error.request_timeout',
    text: { en: 'The request did not arrive in time', zhCn: '请求未能及时送达' },
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: 'error.headers_too_large',
    text: { en: 'The URL or the headers are too long', zhCn: 'URL 或请求头过长' },
  },
  FOUR_EYES_REQUIRED: {
    status: 403,
    message: 'error.four_eyes_required',
    text: { en: 'A second person must agree', zhCn: '需要另一人同意' },
  },
  CONFLICT: {
    status: 409,
    message: 'error.conflict',
    text: { en: 'Conflict with the current state', zhCn: '与当前状态冲突' },
  },
  ENVIRONMENT_LOCKED: {
    status: 409,
    message: 'error.environment_locked',
    text: { en: 'The environment is locked', zhCn: '环境已锁定' },
  },
  PROMOTION_CONFLICT: {
    status: 409,
    message: 'error.promotion_conflict',
    text: { en: 'The promotion has open conflicts', zhCn: '发布存在未解决的冲突' },
  },
  PROMOTION_STATE: {
    status: 409,
    message: 'error.promotion_state',
    text: { en: 'Not possible in this state', zhCn: '当前状态下无法执行' },
  },
  STALE_PLAN: {
    status: 409,
    message: 'error.stale_plan',
    text: {
      en: 'Source or target have changed since the plan was made: validate again',
      zhCn: '制定计划后来源或目标已变化：请重新验证',
    },
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'error.precondition_failed',
    text: { en: 'The record has another version by now', zhCn: '记录的版本已变化' },
  },
  PRECONDITION_REQUIRED: {
    status: 428,
    message: 'error.precondition_required',
    text: {
      en: 'Say which version the change starts from: If-Match or expectedVersion',
      zhCn: '请用 If-Match 或 expectedVersion 说明修改所基于的版本',
    },
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'error.payload_too_large',
    text: { en: 'The request body is too large', zhCn: '请求体过大' },
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    message: 'error.range_not_satisfiable',
    text: { en: 'The range is not within the file', zhCn: '所请求的范围超出文件' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'error.unsupported_media_type',
    text: { en: 'Unsupported content type', zhCn: '不支持的内容类型' },
  },
  BAD_GATEWAY: {
    status: 502,
    message: 'error.bad_gateway',
    text: { en: 'Another service gives no usable answer', zhCn: '另一个服务的应答无法使用' },
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'error.service_unavailable',
    text: { en: 'Temporarily unavailable', zhCn: '服务暂时不可用' },
  },
} as const;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CATALOGUE, code);
}
