/** What stands for yes and for no in files and pasted cells: as imports take it, ignoring case. */
export const YES: readonly string[] = ['true', 'yes', '1', '是'];
export const NO: readonly string[] = ['false', 'no', '0', '否'];
