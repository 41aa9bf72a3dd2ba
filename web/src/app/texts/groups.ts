/** Chinese texts of screens that few people see: loaded with the first screen of their group. */
export const GROUPS = {
  administer: async () => {
    const [{ ADMINISTER }, { PROMOTE }] = await Promise.all([
      import('./zh-cn/administer.ts'),
      import('./zh-cn/promote.ts'),
    ]);
    return { ...ADMINISTER, ...PROMOTE };
  },
  build: async () => (await import('./zh-cn/build.ts')).BUILD,
  imports: async () => (await import('./zh-cn/imports.ts')).IMPORTS,
  trash: async () => (await import('./zh-cn/trash.ts')).TRASH,
  operate: async () => (await import('./zh-cn/operate.ts')).OPERATE,
};
export type TextGroup = keyof typeof GROUPS;

type KeysOf<Texts> = Texts extends unknown ? keyof Texts : never;
export type GroupTextKey = KeysOf<Awaited<ReturnType<(typeof GROUPS)[TextGroup]>>>;
