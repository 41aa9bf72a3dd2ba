import { Type, type Static } from 'typebox';
import { closedObject, IDENTIFIER } from '../../../platform/metadata/content/schema-parts.ts';
import { MAX_RELATIONS } from '../commands.limits.ts';

const RELATION_OPERATIONS = ['CREATE', 'UPDATE', 'UNLINK', 'DELETE'] as const;
type RelationOperation = (typeof RELATION_OPERATIONS)[number];

/** What a payload has related records do, and under which name a result has them. */
export type RelatedKind = Lowercase<RelationOperation>;

const RELATION = closedObject({
  code: Type.String({ ...IDENTIFIER, description: 'The key in the payload and in the result' }),
  modelCode: Type.String({ ...IDENTIFIER, description: 'The model of the related records' }),
  field: Type.String({ ...IDENTIFIER, description: 'Their relation field, which names the record of the command' }),
  operations: Type.Array(Type.Enum([...RELATION_OPERATIONS]), {
    minItems: 1,
    uniqueItems: true,
    description: 'CREATE, UPDATE, UNLINK (empties the field) and DELETE',
  }),
});

/** Records of another model that a command writes together with its own. */
export type RelationContent = Static<typeof RELATION>;

export const RELATIONS = Type.Array(RELATION, {
  minItems: 1,
  maxItems: MAX_RELATIONS,
  description: 'Related records that the payload creates, updates, unlinks or deletes in the same transaction',
});

export function kindsOf({ operations }: RelationContent): RelatedKind[] {
  return operations.map((operation) => operation.toLowerCase() as RelatedKind);
}
