/** The catalogue of permission codes, as functions of what they protect. */
export const permissionCode = {
  recordRead: (modelCode: string) => `record:read:${modelCode}`,
  recordWrite: (modelCode: string) => `record:write:${modelCode}`,
  recordRestore: (modelCode: string) => `record:restore:${modelCode}`,
  recordPurge: (modelCode: string) => `record:purge:${modelCode}`,
  commandExecute: (commandCode: string) => `command:execute:${commandCode}`,
  fieldRead: (modelCode: string, fieldCode: string) => `field:read:${modelCode}.${fieldCode}`,
  fieldWrite: (modelCode: string, fieldCode: string) => `field:write:${modelCode}.${fieldCode}`,
  dataSourceRead: (code: string) => `datasource:read:${code}`,
  automationRun: (code: string) => `automation:run:${code}`,
  dashboardRead: (code: string) => `dashboard:read:${code}`,
  assistantUse: (code: string) => `assistant:use:${code}`,
  imRead: (channelCode: string) => `im:read:${channelCode}`,
} as const;

/** Codes of what all tenants share: only PLATFORM_ADMIN has them. */
export const ADMIN_ENVIRONMENTS = 'admin:environments';
export const ADMIN_PROMOTIONS = 'admin:promotions';
export const ADMIN_METADATA = 'admin:metadata';
/** What a node tells about itself: metrics, details of its health. */
export const ADMIN_OPERATIONS = 'admin:operations';

export const WEBHOOK_MANAGE = 'webhook:manage';
/** Tenants, and the users of all of them. */
export const ADMIN_USERS = 'admin:users';
/** Binding channels of instant messages to the tenant. */
export const IM_MANAGE = 'im:manage';

/** The executions of all users of one's own tenant, without what they were given and what they answered. */
export const EXECUTION_READ = 'execution:read';
export const AUDIT_READ = 'audit:read';
/** The members of one's own tenant. */
export const USER_MANAGE = 'user:manage';
/** Names and e-mails of the members of one's own tenant, to choose from. */
export const USER_LOOKUP = 'user:lookup';
/** The service accounts of one's own tenant. */
export const SERVICE_ACCOUNT_MANAGE = 'service_account:manage';

/** Codes that no resource makes, and that a role may have. */
export const FIXED_CODES = [
  WEBHOOK_MANAGE,
  IM_MANAGE,
  EXECUTION_READ,
  AUDIT_READ,
  USER_MANAGE,
  USER_LOOKUP,
  SERVICE_ACCOUNT_MANAGE,
] as const;

/** Codes that a key may have beside them. */
export const ADMIN_CODES = [
  ADMIN_ENVIRONMENTS,
  ADMIN_PROMOTIONS,
  ADMIN_METADATA,
  ADMIN_OPERATIONS,
  ADMIN_USERS,
] as const;

/** What codes begin with that resources make. */
export const PERMISSION_FAMILIES: readonly string[] = Object.values(permissionCode).map((codeOf) =>
  codeOf('', '').replace(/[:.]+$/, ''),
);

/** The form of a permission code; `*` as the last segment stands for whatever follows. */
export const PERMISSION_CODE_PATTERN = '^(\\*|[a-z_]+(:[a-z0-9_.]+)*(:\\*)?)$';
