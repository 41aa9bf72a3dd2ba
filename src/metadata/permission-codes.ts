/** The catalogue of permission codes, as functions of what they protect. */
export const permissionCode = {
  recordRead: (modelCode: string) => `record:read:${modelCode}`,
  commandExecute: (commandCode: string) => `command:execute:${commandCode}`,
  fieldRead: (modelCode: string, fieldCode: string) => `field:read:${modelCode}.${fieldCode}`,
  fieldWrite: (modelCode: string, fieldCode: string) => `field:write:${modelCode}.${fieldCode}`,
  dataSourceRead: (code: string) => `datasource:read:${code}`,
} as const;
