import express, { Router } from 'express';
import { access, PUBLIC, routesOf } from '../../src/http/access.ts';
import { contract } from '../../src/http/contract.ts';
import { onlyMethods } from '../../src/http/app.ts';

const handler = (): void => undefined;
const promised = { tag: 'Inner', summary: 'Reads one', data: {} };

describe('the walk over all routes', () => {
  it('finds what is declared, wherever it stands, and what is not', () => {
    const [outer, inner] = [Router(), Router()];
    inner.get('/inner/:pid', access('audit:read', 'admin:environments'), contract(promised), handler);
    inner.post('/silent', handler);
    outer.use(inner);
    outer.route('/both').get(access(PUBLIC), handler).put(handler);
    outer.all('/both', onlyMethods('GET'));
    outer.all('/anything', handler);
    const app = express();
    app.use(handler);
    app.use(outer);
    app.delete('/own', handler, access('record:read:{modelCode}'));

    expect(routesOf(app)).toEqual([
      { method: 'GET', path: '/inner/:pid', access: ['audit:read', 'admin:environments'], contract: promised },
      { method: 'POST', path: '/silent', access: null, contract: null },
      { method: 'GET', path: '/both', access: [PUBLIC], contract: null },
      { method: 'PUT', path: '/both', access: null, contract: null },
      { method: null, path: '/both', access: [PUBLIC], contract: null },
      { method: null, path: '/anything', access: null, contract: null },
      { method: 'DELETE', path: '/own', access: ['record:read:{modelCode}'], contract: null },
    ]);
  });
});
