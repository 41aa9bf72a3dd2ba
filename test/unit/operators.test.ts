import {
  compileFilters,
  OPERATORS,
  operatorsOf,
  type Operator,
  ownFields,
} from '../../src/platform/records/conditions/filter-condition.ts';
import { Parameters } from '../../src/foundation/database/parameters.ts';
import type { Operator as OperatorOfClient } from '../../sdk/src/app-types.ts';
import { FIELD_TYPE_NAMES, FIELD_TYPES } from '../../src/platform/metadata/field-types/field-types.ts';
import { toModel } from '../../src/platform/metadata/models/model.ts';

/** The compiler checks that clients know all operators, and no other. */
const ALL = OPERATORS.map((operator: OperatorOfClient): Operator => operator);

describe('the operators of a field type', () => {
  it.each(FIELD_TYPE_NAMES)('are those that a condition on a field of type %s takes', (type) => {
    const field = { code: 'one', name: 'One', type, ...(type === 'enum' && { values: ['a'] }) };
    const model = toModel('dev', 'm', { name: 'M', fields: [field] });
    const value = FIELD_TYPES[type].sample(field);
    const taken = ALL.filter((operator) => {
      const given = operator.includes('between') ? [value, value] : operator.endsWith('in') ? [value] : value;
      const errors = {};
      const conditions = [{ fieldName: 'one', operator, value: given }];
      compileFilters(conditions, ownFields(model, { has: () => true }), new Parameters(), errors);
      return Object.keys(errors).length === 0;
    });

    expect(new Set(operatorsOf(type))).toEqual(new Set(taken));
  });
});
