/** Fields of one model that get other codes, with what the environment's models were until then. */
export interface FieldRenames {
  readonly environment: string;
  readonly modelCode: string;
  /** Former code -> new code. */
  readonly codes: ReadonlyMap<string, string>;
  readonly modelsBefore: ReadonlyMap<string, RenamedModel>;
}

/** Of a model, what a path such as `account.name` follows. */
interface RenamedModel {
  readonly fields: readonly { readonly code: string; readonly target?: string | undefined }[];
}
