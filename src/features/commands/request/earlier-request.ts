import { presentCodes, underPresentCodes } from '../../../platform/metadata/models/former-codes.ts';
import { declaredFields } from '../../../platform/metadata/models/model.ts';
import type { Snapshot } from '../../../platform/metadata/snapshot/snapshot.ts';
import type { RecordInput } from '../../../platform/records/operations/record-operations.ts';
import type { CommandContent } from '../definition/command-content.ts';

type Models = Pick<Snapshot, 'model'>;
type Items = readonly (string | RecordInput)[];

interface EarlierRequest {
  readonly payload: RecordInput;
  readonly matchOn?: readonly string[] | null;
}

/**
 * A request that was accepted, proposed or written into a definition before fields were renamed, under the
 * codes that the fields have now. What requests of clients say stays as it is.
 */
export function requestUnderPresentCodes<R extends EarlierRequest>(
  command: CommandContent,
  request: R,
  metadata: Models,
): R {
  const { payload, matchOn } = request;
  const model = metadata.model(command.modelCode);
  const codes = presentCodes(declaredFields(model));
  return {
    ...request,
    payload: payloadUnderPresentCodes(command, payload, metadata),
    ...(matchOn && { matchOn: matchOn.map((code) => codes.get(code) ?? code) }),
  };
}

function payloadUnderPresentCodes(command: CommandContent, payload: RecordInput, metadata: Models): RecordInput {
  const { modelCode, operations, payload: declared = [], relations = [] } = command;
  const own = operations.includes('CUSTOM') ? declared : declaredFields(metadata.model(modelCode));
  const renamed = underPresentCodes(payload, own);
  const related = relations.flatMap(({ code, modelCode: of }) => {
    const lists = Object.hasOwn(renamed, code) ? renamed[code] : null;
    if (typeof lists !== 'object' || lists === null) return [];
    const fields = declaredFields(metadata.model(of));
    const inItems = (items: unknown) =>
      Array.isArray(items)
        ? (items as Items).map((item) => (typeof item === 'string' ? item : underPresentCodes(item, fields)))
        : items;
    return [[code, Object.fromEntries(Object.entries(lists).map(([kind, items]) => [kind, inItems(items)]))] as const];
  });
  return related.length === 0 ? renamed : { ...renamed, ...Object.fromEntries(related) };
}
