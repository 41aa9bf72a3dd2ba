import { Type, type Static, type TObject, type TObjectOptions, type TProperties } from 'typebox';

/** A code that becomes a Postgres identifier: a table or a column. */
export const IDENTIFIER_PATTERN = '^[a-z][a-z0-9_]{0,47}$';
export const IDENTIFIER = Type.String({ pattern: IDENTIFIER_PATTERN });
export const NAME = Type.String({ minLength: 1, maxLength: 200 });
/** The content type of expressions. */
export const CEL = 'text/cel';
export const EXPRESSION = Type.String({ minLength: 1, maxLength: 4000, contentMediaType: CEL });
/** An expression whose value is true or false. */
export const CONDITION = Type.String({ ...EXPRESSION, contentSchema: { type: 'boolean' } });

/** An object in which unknown keys are errors, as everywhere in contents. */
export function closedObject<P extends TProperties>(properties: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** One of several objects: the property `tag` says which. */
export function oneOfKinds<S extends TObject>(tag: string, kinds: readonly S[], required: readonly string[] = [tag]) {
  return Type.Unsafe<Static<S>>({
    type: 'object',
    required,
    discriminator: { propertyName: tag },
    oneOf: kinds,
  });
}
