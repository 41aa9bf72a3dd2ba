/** Resources as `meta:save` takes them, named by their codes. */
export const model = (code: string, ...fields: object[]) =>
  ({ resourceType: 'MODEL', code, content: { name: code, fields } }) as const;

/** `t:<code>`, which creates records unless `content` says otherwise. */
export const command = (code: string, modelCode: string, content: object = {}) =>
  ({
    resourceType: 'COMMAND',
    code: `t:${code}`,
    content: { name: code, modelCode, operations: ['CREATE'], ...content },
  }) as const;
