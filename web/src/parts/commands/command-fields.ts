import { isSystemField, type Command, type Field, type Model, type Page } from '../../app/application.ts';

export type Operation = Command['operations'][number];

/** The one operation that a form of a command does. */
export function operationFor(command: Command, hasRecord: boolean): Operation {
  const wanted: readonly Operation[] = hasRecord ? ['UPDATE', 'DELETE', 'CUSTOM'] : ['CREATE', 'CUSTOM', 'UPSERT'];
  return wanted.find((operation) => command.operations.includes(operation)) ?? command.operations[0] ?? 'CUSTOM';
}

/** Whether a command makes something new, for a button above a list. */
export function isForList({ operations, target = false }: Command): boolean {
  return operations.includes('CREATE') || (operations.includes('CUSTOM') && !target);
}

/** Whether a default is worked out when a record is created: `$now`, `$user.pid`. */
export function isKnownLater(initial: unknown): boolean {
  return typeof initial === 'string' && initial.startsWith('$');
}

/** The fields that a command takes, in the order of the page's form. */
export function commandFields(command: Command, model: Model, page: Page): Field[] {
  if (command.fields) return command.fields;
  const { properties = {}, required = [] } = command.payloadSchema as {
    readonly properties?: object;
    readonly required?: readonly string[];
  };
  const taken = model.fields.filter(({ code, readOnly }) => code in properties && !readOnly && !isSystemField(code));
  const order = (page.form?.sections ?? []).flatMap(({ fields }) => fields);
  const rank = ({ code }: Field): number => (order.includes(code) ? order.indexOf(code) : order.length);
  return taken
    .map((field) => ({ ...field, required: required.includes(field.code) || field.required }))
    .sort((one, other) => rank(one) - rank(other));
}
