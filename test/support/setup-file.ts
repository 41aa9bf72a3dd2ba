import { closeAll } from './after-each-file.ts';

afterAll(closeAll);
