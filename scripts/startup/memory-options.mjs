/**
 * V8's limits for each thread of the program; NODE_OPTIONS replaces them. Without them V8 lets garbage grow
 * with the machine's memory. docs/operations.md says what each does; Dockerfile and package.json repeat them.
 */
export const memoryOptions = '--max-semi-space-size=16 --max-old-space-size=256';
