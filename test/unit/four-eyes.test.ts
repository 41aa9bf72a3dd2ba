import { needsSecondPerson } from '../../src/platform/metadata/environments/write-policy.ts';
import { missingApprovals } from '../../src/features/promotions/performing/four-eyes.ts';

const [creator, second, third] = ['creator', 'second', 'third'];
const target = (rest: Partial<Parameters<typeof missingApprovals>[0]> = {}) => ({
  locked: false,
  writePolicy: 'locked_with_approval' as const,
  minApprovals: 1,
  selfApprove: false,
  ...rest,
});

describe('a second person', () => {
  it.each([
    ['open', false, false],
    ['open', true, true],
    ['locked', false, false],
    ['locked', true, true],
    ['locked_with_approval', false, true],
    ['locked_with_approval', true, true],
  ] as const)('policy %s, locked %s: needed %s', (writePolicy, locked, needed) => {
    expect(needsSecondPerson({ writePolicy, locked })).toBe(needed);
    const alone = { creator, approvers: [], applier: creator };
    expect(missingApprovals(target({ writePolicy, locked }), alone)).toBe(needed ? 1 : 0);
  });
});

describe('who counts', () => {
  it.each<[what: string, approvers: string[], applier: string, missing: number]>([
    ['the creator alone', [], creator, 1],
    ["the creator's own approval", [creator], creator, 1],
    ['another who applies', [], second, 0],
    ['another who approved', [second], creator, 0],
    ['another who approved and applies', [second], second, 0],
    ['the creator who approved, another who applies', [creator], second, 0],
  ])('%s', (_what, approvers, applier, missing) => {
    expect(missingApprovals(target(), { creator, approvers, applier })).toBe(missing);
  });

  it.each<[approvers: string[], applier: string, missing: number]>([
    [[], creator, 2],
    [[second], creator, 1],
    [[second, second], second, 1],
    [[second], third, 0],
    [[second, third], creator, 0],
    [[creator, second], creator, 1],
  ])('where two must agree: approved by %j, applied by %s', (approvers, applier, missing) => {
    expect(missingApprovals(target({ minApprovals: 2 }), { creator, approvers, applier })).toBe(missing);
  });

  it('is also the creator where the environment allows it', () => {
    const lenient = target({ selfApprove: true });

    expect(missingApprovals(lenient, { creator, approvers: [], applier: creator })).toBe(0);
    expect(missingApprovals({ ...lenient, minApprovals: 2 }, { creator, approvers: [creator], applier: creator })).toBe(
      1,
    );
  });
});
