import { toolDefinitions } from '../../src/features/assistant/tools/tool-kinds.ts';
import { toolboxOf } from '../../src/features/assistant/tools/toolbox.ts';
import { offlineResourceChecks } from '../../src/offline.ts';
import type { Actor } from '../../src/platform/auth/requests/actor.ts';
import { Snapshot } from '../../src/platform/metadata/snapshot/snapshot.ts';

const field = (code: string, type: string, rest: object = {}) => ({ code, name: code, type, ...rest });
const resources = [
  { resourceType: 'MODEL', code: 'order', content: { name: 'Order', fields: [field('name', 'string')] } },
  {
    resourceType: 'MODEL',
    code: 'line',
    content: {
      name: 'Line',
      fields: [field('order', 'relation', { target: 'order' }), field('amount', 'decimal', { required: true })],
    },
  },
  { resourceType: 'MODEL', code: 'tag', content: { name: 'Tag', fields: [field('name', 'string')] } },
  {
    resourceType: 'MODEL',
    code: 'label',
    content: {
      name: 'Label',
      fields: ['article', 'tag', 'order'].map((target) => field(target, 'relation', { target })),
    },
  },
  {
    resourceType: 'MODEL',
    code: 'article',
    content: {
      name: 'Article',
      fields: [field('name', 'string')],
      relations: ['tag', 'order'].map((to) => ({
        code: `${to}s`,
        name: to,
        through: 'label',
        from: 'article',
        to,
      })),
    },
  },
  {
    resourceType: 'COMMAND',
    code: 'test:save',
    content: {
      name: 'Save',
      modelCode: 'order',
      operations: ['CREATE', 'UPDATE'],
      relations: [{ code: 'lines', modelCode: 'line', field: 'order', operations: ['CREATE', 'UPDATE', 'DELETE'] }],
    },
  },
];

const metadata = new Snapshot('test', 0, resources, offlineResourceChecks().types);
const actor = { metadata, permissions: { has: () => true }, userPid: 'u', username: 'u' } as unknown as Actor;

describe('the tools of an assistant', () => {
  it('name the relations through another model to the models that it may show', () => {
    const content = { name: 'A', instructions: 'x', tools: { list: ['tag'], describe: ['article'] } } as never;

    const { models } = toolboxOf(actor, content, true);

    expect(models.find(({ code }) => code === 'article')?.relations).toEqual([
      { code: 'tags', name: 'tag', target: 'tag' },
    ]);
  });

  it('say which related records the payload of a command may hold', () => {
    const content = { name: 'A', instructions: 'x', tools: { commands: ['test:save'] } } as never;

    const [tool] = toolDefinitions(toolboxOf(actor, content, true));

    expect(tool?.description.split('\n').at(-1)).toBe(
      'test:save: Save (CREATE, UPDATE); fields: name string; ' +
        'lines: {create: [{fields}], update: [{pid, fields}], delete: [pid]} of related records with amount* decimal',
    );
  });
});
