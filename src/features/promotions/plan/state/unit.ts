/** One resource to promote. Spec: "Promotion", `units`; `version` picks an earlier one, for a rollback. */
export interface Unit {
  readonly resourceType: string;
  readonly resourcePid: string;
  readonly version?: number;
}
