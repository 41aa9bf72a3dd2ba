import { permissionCode } from '../permissions/permission-codes.ts';

type Values = Readonly<Record<string, unknown>>;

/** A field with the code that it had before. */
interface RenamedField {
  readonly code: string;
  readonly renamedFrom?: string | undefined;
}

const NONE: ReadonlyMap<string, string> = new Map<string, string>();

/** The former codes of fields that no field has now: former -> present. */
export function presentCodes(fields: readonly RenamedField[]): ReadonlyMap<string, string> {
  const renamed = fields.filter(({ renamedFrom }) => renamedFrom !== undefined);
  if (renamed.length === 0) return NONE;
  const own = new Set(fields.map(({ code }) => code));
  return new Map(renamed.flatMap(({ code, renamedFrom: from = '' }) => (own.has(from) ? [] : [[from, code] as const])));
}

/** Values that were written before fields were renamed, under the codes that the fields have now. */
export function underPresentCodes<V extends Values>(values: V, fields: readonly RenamedField[]): V {
  const codes = presentCodes(fields);
  if (codes.size === 0 || !Object.keys(values).some((code) => codes.has(code))) return values;
  const entries = Object.entries(values).map(([code, value]) => {
    const present = codes.get(code);
    return [present === undefined || Object.hasOwn(values, present) ? code : present, value] as const;
  });
  return Object.fromEntries(entries) as V;
}

interface RenamesOfModel {
  readonly modelCode: string;
  /** Former code -> new code. */
  readonly codes: ReadonlyMap<string, string>;
}

/** The permission codes of renamed fields: former -> new. */
export function permissionsOfRenames({ modelCode, codes }: RenamesOfModel) {
  const { fieldRead, fieldWrite } = permissionCode;
  return new Map(
    [...codes].flatMap(([from, to]) =>
      [fieldRead, fieldWrite].map((codeOf) => [codeOf(modelCode, from), codeOf(modelCode, to)] as const),
    ),
  );
}
