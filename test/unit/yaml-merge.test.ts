import fc from 'fast-check';
import { parse } from 'yaml';
import { parseSource } from '../../cli/app/source-file.ts';
import { withContent } from '../../cli/app/yaml-merge.ts';

const TEXT = `# About tickets.
resourceType: MODEL
code: ticket
content:
  # Shown to people.
  name: Ticket
  fields:
    - { code: title, name: Title, type: string } # the subject
    # Set by agents.
    - code: status
      name: Status
      type: enum
      values: [open, closed]

    - code: sql
      name: |
        select 1
        from a
`;
type Content = { name: string; fields: Record<string, unknown>[] } & Record<string, unknown>;
const contentOf = (text: string): Content => (parse(text) as { content: Content }).content;
const changed = (change: (content: Content) => void): string => {
  const content = contentOf(TEXT);
  change(content);
  const text = withContent(parseSource('a.yaml', TEXT), content);
  expect(contentOf(text)).toEqual(content);
  return text;
};

describe('a file whose resource has changed', () => {
  it('keeps its text where nothing has', () => {
    expect(changed(() => undefined)).toBe(TEXT);
  });

  it('keeps comments beside a value that changes', () => {
    const text = changed((content) => (content.name = 'Case'));
    expect(text).toBe(TEXT.replace('name: Ticket', 'name: Case'));
  });

  it('keeps the comments of the items of a list, wherever they go', () => {
    const text = changed(({ fields }) => fields.unshift(fields.splice(1, 1)[0] ?? {}, { code: 'new', type: 'date' }));
    expect(text).toContain('    # Set by agents.\n    - code: status\n');
    expect(text).toContain('{ code: title, name: Title, type: string } # the subject\n');
  });

  it('takes a removed item away and leaves the others', () => {
    const text = changed(({ fields }) => fields.splice(0, 1));
    expect(text).not.toContain('title');
    expect(text).toContain('# Set by agents.');
  });

  it('says the new content even where its text shares parts by aliases', () => {
    const text = 'resourceType: X\ncode: a\ncontent:\n  a: &x { b: 1 }\n  c: *x\n';
    const content = { a: { b: 2 }, c: { b: 1 } };
    expect(contentOf(withContent(parseSource('a.yaml', text), content))).toEqual(content);
  });

  it('says just the new content, whatever it was', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const object = fc.dictionary(fc.string({ minLength: 1 }), value);
    fc.assert(
      fc.property(object, object, (before, after) => {
        const source = parseSource('a.yaml', withContent(parseSource('a.yaml', TEXT), before));
        const known = JSON.parse(JSON.stringify(after)) as object;
        expect(contentOf(withContent(source, known))).toEqual(known);
      }),
      { numRuns: 200 },
    );
  });
});
